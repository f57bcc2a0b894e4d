import { domainToASCII } from "node:url";
import { z } from "zod";
import { normalizeOrKeep } from "../normalize-text.ts";
import { oauthConfig } from "../oauth/config.ts";
import { addressInput, canonicalAddress, isCanonicalAddress } from "./messages/address.ts";

const secretReference = /^\$\{([A-Za-z][A-Za-z0-9_-]{0,62})\}$/;

const serverConfig = (secure: string, startTls: string) =>
  z.strictObject({
    url: z
      .string()
      .refine(
        (url) => isServerUrl(url, [secure, startTls]),
        `must be a URL such as \`${secure}//mail.example.org\`, or \`${startTls}//…\` for STARTTLS, without a path`,
      )
      .describe(`URL of the server; \`${startTls}//\` means STARTTLS, and there is no unencrypted mode`),
    user: z.string().min(1).max(320).optional().describe("login name (default: `address`)"),
    password: z
      .string()
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
      .regex(secretReference, "name the secret that holds the password: `${MAIL_PASSWORD}`")
      .optional()
      .describe("the secret that holds the password; required without `oauth`"),
  });

function isServerUrl(text: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  const rest = [search, hash, username, password].join("");
  return protocols.includes(protocol) && hostname !== "" && ["", "/"].includes(pathname) && rest === "";
}

const folderConfig = z.string().regex(/^[^\p{C}]{1,200}$/u, "must be the name of a folder");

/** The schema of the options of `mailbox()`. */
export const mailboxConfig = z
  .strictObject({
    address: z
      .string()
      .overwrite(normalizeOrKeep(canonicalAddress))
      .refine(isCanonicalAddress, "must be an address such as `assistant@example.org`")
      .describe("address of the mailbox, and the sender of every message"),
    name: z
      .string()
      .regex(/^[^\p{C}<>"@]{1,100}$/u, "must be a name on one line")
      .optional()
      .describe("name of the sender"),
    imap: serverConfig("imaps:", "imap:").describe("the server that keeps the messages"),
    smtp: serverConfig("smtps:", "smtp:").describe("the server that sends messages"),
    oauth: oauthConfig
      .optional()
      .describe("gets access tokens for both servers, instead of passwords; name the secrets in braces"),
    domains: z
      .array(
        z
          .string()
          .overwrite((domain) => domainToASCII(domain) || domain)
          .refine((domain) => isCanonicalAddress(`a@${domain}`), "must be a domain such as `example.org`"),
      )
      .optional()
      .describe(
        "domains of your organisation; recipients elsewhere cause a warning (default: that of `address`)",
      ),
    folders: z
      .strictObject({
        sent: folderConfig.optional().describe("folder of sent messages"),
        drafts: folderConfig.optional().describe("folder of drafts"),
      })
      .default({})
      .describe("folders of sent messages and of drafts (default: those that the server marks as such)"),
    groups: z
      .record(
        z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/, "must be a name in lower case, such as `team`"),
        z.array(addressInput).min(1).max(100),
      )
      .default({})
      .describe("the addresses of groups by their names, such as `team`, for the capability `tell`"),
    watch: folderConfig.default("INBOX").describe("the folder whose new messages Paraph observes"),
    ca: z
      .string()
      .min(1)
      .optional()
      .describe("file with the certificates of a private authority, relative to the configuration"),
    allow: z
      .array(z.string())
      .default([])
      .describe("private addresses of the servers, such as 10.1.0.0/16 or mail.internal:993"),
    maxBytes: z
      .int()
      .positive()
      .max(25 * 1024 * 1024)
      .default(10 * 1024 * 1024)
      .describe("maximum size in bytes of a message to send or to forward"),
    maxTextBytes: z
      .int()
      .positive()
      .max(2 * 1024 * 1024)
      .default(256 * 1024)
      .describe("maximum size in bytes of the text that a call reads"),
    maxRecipients: z
      .int()
      .positive()
      .max(100)
      .default(20)
      .describe("maximum number of recipients of a message"),
    maxResults: z
      .int()
      .positive()
      .max(500)
      .default(100)
      .describe("maximum number of messages that a search returns"),
    timeout: z
      .templateLiteral([z.number(), z.enum(["ms", "s", "m"])])
      .default("1m")
      .describe("how long one call may take"),
  })
  .superRefine(({ oauth, imap, smtp }, faults) => {
    for (const [name, { password }] of Object.entries({ imap, smtp }))
      if ((password === undefined) === (oauth === undefined))
        faults.addIssue({
          code: "custom",
          path: [name, "password"],
          message: oauth
            ? "must be missing, because `oauth` replaces it"
            : "is missing. Set it, or set `oauth`",
        });
  });

export type MailboxConfig = z.output<typeof mailboxConfig>;
/** The options of one server. */
export type ServerConfig = MailboxConfig["imap"];

/** Returns the name of the secret. The schema of the configuration requires a password if there is no `oauth`. */
export function getSecretName({ password = "" }: ServerConfig): string {
  return secretReference.exec(password)?.[1] ?? "";
}
