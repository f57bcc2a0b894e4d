import {
  CapabilityError,
  canonical,
  type JsonObject,
  type Observation,
  type ObservationPage,
  sha256Hex,
} from "@paraph/core";
import type { Kept } from "./perceptions.ts";

/** So many at once, and so many characters of each and of the cursor: more is an adapter's fault, and nothing is written. */
export const most = { observations: 1_000, body: 64 * 1024, cursor: 1024 * 1024 } as const;

/**
 * What an adapter perceived, in the form in which it is kept. Where the adapter itself is at fault nothing is, so that the
 * cursor stays where it is. Nothing that comes from the outside is a fault: whoever writes there must not be able to stop
 * the looking.
 */
export function keepable({ observations, cursor }: ObservationPage): {
  cursor: string;
  observations: Kept[];
} {
  if (typeof cursor !== "string" || cursor.includes("\0")) throw invalid("its cursor is not a text");
  if (cursor.length > most.cursor) throw invalid(`its cursor is longer than ${most.cursor} characters`);
  if (!Array.isArray(observations)) throw invalid("there is no list of observations");
  if (observations.length > most.observations) {
    throw invalid(`there are more than ${most.observations} observations: give the rest with \`more\``);
  }
  return { cursor, observations: observations.map(kept) };
}

function kept({ id, kind, subject, at, data }: Observation): Kept {
  if (typeof id !== "string" || id === "") throw invalid("an `id` is a text that is not empty");
  if (typeof subject !== "string") throw invalid("a `subject` is a text");
  if (typeof kind !== "string" || !kindForm.test(kind))
    throw invalid("a `kind` is written as `commit.pushed`");
  const body = bodyOf(data);
  return {
    id: id.length > longestId ? sha256Hex(id) : storable(id),
    kind,
    subject: storable(subject.slice(0, longestSubject)),
    ...(typeof at === "number" && Number.isSafeInteger(at) && Math.abs(at) < latest && { at }),
    ...(body !== undefined && { body }),
  };
}

/** Undefined: it is too large, or cannot be written as JSON. */
function bodyOf(data: JsonObject): string | undefined {
  try {
    const body = canonical(data);
    return body.length <= most.body ? body : undefined;
  } catch {
    return undefined;
  }
}

/** PostgreSQL takes neither NUL nor half a character for text. */
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

const longestId = 512;
const longestSubject = 1_024;
const kindForm = /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*$/;
/** Beyond this JavaScript has no date. */
const latest = 8.64e15;

function invalid(reason: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "observation-invalid",
    `What the adapter perceived cannot be kept: ${reason}.`,
  );
}
