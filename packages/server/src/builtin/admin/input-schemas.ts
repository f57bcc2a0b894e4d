import { isScope, principalIdPatterns } from "@paraph/core";
import { z } from "zod";

/**
 * The id of a principal that exists. Every id that the identity provider can give to a principal is allowed. It is a
 * check instead of a pattern of the JSON Schema, because a contract may not replace the pattern of its released version,
 * not even by a wider one.
 */
export const principalIdInput = z
  .string()
  .refine((id) => principalIdPatterns.existing.test(id), "1 to 255 characters without control characters");

/** The id of a principal to create. */
export const newPrincipalIdInput = z
  .string()
  .regex(principalIdPatterns.new, "1 to 255 visible ASCII characters, without spaces");

export const groupNameInput = principalIdInput.describe("roles are groups that begin with `paraph:`");

export const capabilityNameInput = z
  .string()
  .regex(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/, "write it as `adapter.verb`, in lower case")
  .max(128);

export const recordIdInput = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, "expected an id that Paraph returned");

export const credentialIdInput = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,1400}$/, "expected the id of a credential as base64url")
  .describe("id of the WebAuthn credential, as base64url");

export const passkeyLabelInput = z
  .string()
  .regex(/^[\x20-\x7e]{1,64}$/, "1 to 64 visible ASCII characters")
  .describe("name of the passkey, for people");

export const slackIdInput = z
  .string()
  .regex(/^[A-Z0-9]{1,32}$/, "expected an id of Slack, such as `U0123ABCD`");

export const slackNameInput = z.string().min(1).max(80);

export const reasonInput = z.string().min(1).max(2_000).describe("reason, for the record");

export const scopesInput = z
  .array(z.string().refine(isScope, "one of `calls`, `calls:PATTERN`, `read`, `decide`, `admin`"))
  .min(1)
  .max(50)
  .describe("scopes of the key (default: everything that its principal may do)");

/**
 * [TRUST 5] A plain mail address. Quoted names, comments and anything that could form a header of its own are not
 * allowed.
 */
export const mailAddressInput = z
  .string()
  .regex(
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){0,10}$/,
    "expected a mail address, such as `ana@example.com`",
  )
  .max(254);
