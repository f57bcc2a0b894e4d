import {
  CapabilityError,
  canonical,
  type JsonObject,
  type Observation,
  type ObservationPage,
  sha256Hex,
} from "@paraph/core";
import type { StorableObservation } from "./poll-store.ts";

/**
 * The maximum number of observations per page, and the maximum lengths of a body and of the cursor in characters. If a
 * page has more observations or a longer cursor, the poll fails and writes nothing. A longer body is left out of its
 * observation.
 */
export const observationLimits = { observations: 1_000, body: 64 * 1024, cursor: 1024 * 1024 } as const;

/**
 * Converts a page of observations into the stored form. It throws only for faults of the adapter, and the cursor then
 * does not change. It never throws because of content from the external system. Otherwise the authors of that content
 * could stop the polling.
 */
export function validatePage({ observations, cursor }: ObservationPage): {
  cursor: string;
  observations: StorableObservation[];
} {
  if (typeof cursor !== "string" || cursor.includes("\0"))
    throw createInvalidError("the cursor is not a string");
  if (cursor.length > observationLimits.cursor)
    throw createInvalidError(`the cursor is longer than ${observationLimits.cursor} characters`);
  if (!Array.isArray(observations)) throw createInvalidError("`observations` is not a list");
  if (observations.length > observationLimits.observations) {
    throw createInvalidError(
      `there are more than ${observationLimits.observations} observations; return the rest with \`more\``,
    );
  }
  return { cursor, observations: observations.map(validateObservation) };
}

function validateObservation({ id, kind, subject, at, data }: Observation): StorableObservation {
  if (typeof id !== "string" || id === "")
    throw createInvalidError("an `id` must be a string that is not empty");
  if (typeof subject !== "string") throw createInvalidError("a `subject` must be a string");
  if (typeof kind !== "string" || !kindPattern.test(kind))
    throw createInvalidError("a `kind` must have the form `commit.pushed`");
  const body = serializeBody(data);
  return {
    id: id.length > maxIdLength ? sha256Hex(id) : toStorableText(id),
    kind,
    subject: toStorableText(subject.slice(0, maxSubjectLength)),
    ...(typeof at === "number" && Number.isSafeInteger(at) && Math.abs(at) < maxTime && { at }),
    ...(body !== undefined && { body }),
  };
}

/** Returns the data as canonical JSON, or undefined if the data is too large or not valid JSON. */
function serializeBody(data: JsonObject): string | undefined {
  try {
    const body = canonical(data);
    return body.length <= observationLimits.body ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces NUL and unpaired surrogates, which PostgreSQL rejects in text. */
function toStorableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

const maxIdLength = 512;
const maxSubjectLength = 1_024;
const kindPattern = /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*$/;
/** The latest time that a JavaScript date can hold, in milliseconds since 1970. */
const maxTime = 8.64e15;

function createInvalidError(reason: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "observation-invalid",
    `The observations of the adapter are not valid: ${reason}.`,
  );
}
