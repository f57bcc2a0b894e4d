import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import { utf8 } from "./bytes.ts";

/** The one byte form of a value (RFC 8785): equal values, equal bytes, equal digests. */
export function canonical(value: Json): string {
  try {
    const text = canonicalize(value);
    if (text?.isWellFormed()) return text;
  } catch {
    // Told below: the library's own text could quote the value.
  }
  throw new ParaphError(
    "not-json",
    "The value has no canonical JSON form: send plain JSON without lone surrogates.",
  );
}

/** SHA-256 over the canonical form, in hex. */
export function digest(value: Json): string {
  return sha256Hex(canonical(value));
}

/** A commitment says nothing of the value to one who lacks the salt, and holds once the salt is gone. */
export function commitment(salt: string, value: Json): string {
  return sha256Hex(`${salt}:${canonical(value)}`);
}

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8(text)));
}

/** A digest as people compare it: four short groups. */
export function fingerprint(hex: string): string {
  return (hex.slice(0, 16).match(/.{4}/g) ?? []).join(" ");
}

export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonical(a) === canonical(b);
}
