import { createOauthSchema, type OauthClient } from "@paraph/adapters/oauth";
import { z } from "zod";
import { mailAddressInput } from "../../builtin/admin/input-schemas.ts";

/** The options of the mail channel. Mails leave either over SMTP or through Resend. */
export type MailOptions = CommonOptions &
  (
    | {
        readonly smtp: SmtpOptions;
        /** The key that signs the messages, if the mail server does not sign them itself. */
        readonly dkim?: DkimOptions;
        readonly resend?: never;
      }
    | { readonly resend: ResendOptions; readonly smtp?: never; readonly dkim?: never }
  );

interface CommonOptions {
  /** The sender's address. */
  readonly from: string;
  /** The sender's name. */
  readonly name?: string;
  /** Lets people reply to mails. */
  readonly replies?: ReplyOptions;
  /** Lets people send requests in words. Paraph reads them from the mailbox of `replies`. */
  readonly requests?: RequestOptions;
  /** The maximum number of mails per minute to all recipients together. */
  readonly maxPerMinute?: number;
  /** The maximum number of mails per minute to one recipient. */
  readonly maxPerRecipient?: number;
}

/** The mail server that accepts the messages. */
export interface SmtpOptions {
  readonly url: string;
  readonly user?: string;
  /** The name of the secret that holds the password. */
  readonly secret?: string;
  /** Gets access tokens, which replace the password. */
  readonly oauth?: OauthOptions;
  /** Whether messages may travel to the server without encryption. */
  readonly allowPlain?: boolean;
}

/** A client at an authorization server. `clientSecret` and `refreshToken` are the names of secrets. */
export type OauthOptions = OauthClient;

/** A DKIM key. */
export interface DkimOptions {
  readonly domain: string;
  readonly selector: string;
  /** The name of the secret that holds the private key. */
  readonly secret: string;
}

/** The API of Resend. */
export interface ResendOptions {
  /** The name of the secret that holds the API key. */
  readonly secret: string;
  /** The address of the API (default: `https://api.resend.com`). */
  readonly url?: string;
}

/** The options for replies to mails. Paraph reads the replies either from a mailbox or from Resend. */
export type ReplyOptions = {
  /** The address for replies. Its server must deliver `name+anything@domain` to the mailbox of `name@domain`. */
  readonly address: string;
  /** The domains of servers whose ARC seals Paraph trusts, such as your own forwarding server. */
  readonly arcSealers?: readonly string[];
} & (
  | { readonly imap: ImapOptions; readonly resend?: never }
  | { readonly resend: ResendReplyOptions; readonly imap?: never }
);

/** The options for requests by mail. */
export interface RequestOptions {
  /** The tenant whose people send requests. */
  readonly tenant: string;
  /** The address for requests. Its server must deliver `name+anything@domain` to the mailbox of `replies`. */
  readonly address: string;
  /** The addresses that may send requests: whole addresses, or `@domain` for all addresses of a domain. */
  readonly allow: readonly string[];
  /** The maximum number of requests of one person per hour. */
  readonly maxPerHour?: number;
  /** The maximum size of a mail with a request, in bytes. */
  readonly maxBytes?: number;
}

/** The mailbox that receives the replies. */
export interface ImapOptions {
  readonly url: string;
  readonly user: string;
  /** The name of the secret that holds the password. */
  readonly secret?: string;
  /** Gets access tokens, which replace the password. */
  readonly oauth?: OauthOptions;
  readonly mailbox?: string;
  /** Whether Paraph may read the mailbox without encryption. */
  readonly allowPlain?: boolean;
}

/** The API of Resend that returns received mails. Its key needs full access. */
export interface ResendReplyOptions extends ResendOptions {
  /** The name of the secret that holds the signing secret of the webhook (`whsec_…`). */
  readonly webhookSecret: string;
}

/** The path to which Resend sends its webhooks. */
export const receivedPath = "/mail/received";

const text = z.string().min(1);
const replacesSecret = "replaces `secret`. Set only one of them";
const hostName = z.string().regex(/^[A-Za-z0-9.-]{1,253}$/, "expected a domain");
const count = z.int().min(1).max(1_000_000);

const oauth = createOauthSchema(text);

const smtp = z
  .strictObject({
    url: z
      .string()
      .refine(
        (url) => isServerUrl(url, ["smtp:", "smtps:"]),
        "expected `smtp://host:port` or `smtps://host:port`, without a user or password",
      ),
    user: text.optional(),
    secret: text.optional(),
    oauth: oauth.optional(),
    allowPlain: z.boolean().optional(),
  } satisfies Record<keyof SmtpOptions, z.ZodType>)
  .refine(({ user, secret, oauth }) => (user === undefined) === (secret === undefined && !oauth), {
    path: ["secret"],
    message: "`user` belongs together with `secret` or `oauth`",
  })
  .refine(({ secret, oauth }) => secret === undefined || !oauth, {
    path: ["oauth"],
    message: replacesSecret,
  });

const resend = {
  secret: text,
  url: z.string().refine(isApiUrl, "expected `https://host`, without a path, user or password").optional(),
} satisfies Record<keyof ResendOptions, z.ZodType>;

const imap = z
  .strictObject({
    url: z
      .string()
      .refine(
        (url) => isServerUrl(url, ["imap:", "imaps:"]),
        "expected `imap://host:port` or `imaps://host:port`, without a user or password",
      ),
    user: text,
    secret: text.optional(),
    oauth: oauth.optional(),
    mailbox: text.optional(),
    allowPlain: z.boolean().optional(),
  } satisfies Record<keyof ImapOptions, z.ZodType>)
  .refine(({ secret, oauth }) => secret !== undefined || oauth, {
    path: ["secret"],
    message: "set `secret` or `oauth`",
  })
  .refine(({ secret, oauth }) => secret === undefined || !oauth, {
    path: ["oauth"],
    message: replacesSecret,
  });

/** The schema of the options of the mail channel. */
export const mailSchema = z
  .strictObject({
    from: mailAddressInput,
    name: z
      .string()
      .regex(/^[^\p{C}]{1,100}$/u, "expected a name of at most 100 visible characters")
      .optional(),
    smtp: smtp.optional(),
    resend: z.strictObject(resend).optional(),
    dkim: z
      .strictObject({ domain: hostName, selector: hostName, secret: text } satisfies Record<
        keyof DkimOptions,
        z.ZodType
      >)
      .optional(),
    replies: z
      .strictObject({
        address: mailAddressInput,
        imap: imap.optional(),
        resend: z
          .strictObject({ ...resend, webhookSecret: text } satisfies Record<
            keyof ResendReplyOptions,
            z.ZodType
          >)
          .optional(),
        arcSealers: z.array(hostName).optional(),
      } satisfies Record<keyof ReplyOptions, z.ZodType>)
      .refine((replies) => (replies.imap === undefined) !== (replies.resend === undefined), {
        message: "needs either `imap` or `resend`, from which Paraph reads the replies",
      })
      .optional(),
    requests: z
      .strictObject({
        tenant: text,
        address: mailAddressInput,
        allow: z
          .array(
            z
              .string()
              .regex(/^[^\s@<>]*@[A-Za-z0-9.-]{1,253}$/, "expected `name@domain`, or `@domain` for a domain"),
          )
          .min(1)
          .max(1_000),
        maxPerHour: count.optional(),
        maxBytes: z.int().min(1_000).max(5_000_000).optional(),
      } satisfies Record<keyof RequestOptions, z.ZodType>)
      .optional(),
    maxPerMinute: count.optional(),
    maxPerRecipient: count.optional(),
  } satisfies Record<keyof MailOptions, z.ZodType>)
  .refine((mail) => (mail.smtp === undefined) !== (mail.resend === undefined), {
    message: "needs either `smtp` or `resend`, through which the mails leave",
  })
  .refine((mail) => mail.requests === undefined || mail.replies !== undefined, {
    path: ["requests"],
    message: "needs `replies`, from whose mailbox Paraph reads the requests",
  })
  .refine((mail) => mail.resend === undefined || mail.dkim === undefined, {
    path: ["dkim"],
    message: "belongs to `smtp`. Resend signs the mails with the key of your domain",
  });

function isServerUrl(address: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, hostname, pathname } = new URL(address);
  return (
    protocols.includes(protocol) &&
    hostname !== "" &&
    username === "" &&
    password === "" &&
    ["", "/"].includes(pathname)
  );
}

/** Returns whether this is an address over TLS, or of this machine for tests. */
function isApiUrl(address: string): boolean {
  return isServerUrl(address, ["https:"]) || (isServerUrl(address, ["http:"]) && isLoopback(address));
}

/** Returns whether an address is of this machine. */
export function isLoopback(address: string): boolean {
  return new URL(address).hostname === "127.0.0.1";
}
