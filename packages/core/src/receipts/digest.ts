import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import { utf8 } from "./bytes.ts";

/** Returns the canonical form of a value (RFC 8785). Equal values have equal bytes and equal digests. */
export function canonical(value: Json): string {
  try {
    const text = canonicalize(value);
    if (text?.isWellFormed()) return text;
  } catch {
    // The error below omits the library's message, which could quote the value.
  }
  throw new ParaphError(
    "not-json",
    "The value has no canonical JSON form. Send plain JSON without lone surrogates.",
  );
}

/** Returns the SHA-256 of the canonical form, in hex. */
export function digest(value: Json): string {
  return sha256Hex(canonical(value));
}

/**
 * Returns a commitment to a value. Without the salt, the commitment reveals nothing about the value. It stays valid
 * after the salt is erased.
 */
export function commitment(salt: string, value: Json): string {
  return sha256Hex(`${salt}:${canonical(value)}`);
}

/** Returns the SHA-256 of a text, in hex. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8(text)));
}

/** Returns the first 16 digits of a digest, for people to compare and to pass to a command. */
export function fingerprint(hex: string): string {
  return hex.slice(0, 16);
}

/** Returns whether two values have the same canonical form. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonical(a) === canonical(b);
}
