import { schemaFaults } from "@paraph/core";
import { z } from "zod";
import { mailAddressInput } from "../../builtin/admin/input-schemas.ts";
import type { ChannelConfig } from "../channel.ts";
import { openMail } from "./smtp.ts";

/** The options of the mail channel. */
export interface MailOptions {
  /** The sender's address. */
  readonly from: string;
  /** The sender's name. */
  readonly name?: string;
  readonly smtp: SmtpOptions;
  /** The key that signs the messages, if the mail server does not sign them itself. */
  readonly dkim?: DkimOptions;
  /** Lets people reply to mails. */
  readonly replies?: ReplyOptions;
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
  /** Whether messages may travel to the server without encryption. */
  readonly allowPlain?: boolean;
}

/** A DKIM key. */
export interface DkimOptions {
  readonly domain: string;
  readonly selector: string;
  /** The name of the secret that holds the private key. */
  readonly secret: string;
}

/** How people reply to mails. */
export interface ReplyOptions {
  /** The address for replies. Its server must deliver `name+anything@domain` to the mailbox of `name@domain`. */
  readonly address: string;
  readonly imap: ImapOptions;
  /** The domains of servers whose ARC seals Paraph trusts, such as your own forwarding server. */
  readonly arcSealers?: readonly string[];
}

/** The mailbox that receives the replies. */
export interface ImapOptions {
  readonly url: string;
  readonly user: string;
  /** The name of the secret that holds the password. */
  readonly secret: string;
  readonly mailbox?: string;
  /** Whether Paraph may read the mailbox without encryption. */
  readonly allowPlain?: boolean;
}

const text = z.string().min(1);
const hostName = z.string().regex(/^[A-Za-z0-9.-]{1,253}$/, "expected a domain");
const count = z.int().min(1).max(1_000_000);

const mailSchema = z.strictObject({
  from: mailAddressInput,
  name: z
    .string()
    .regex(/^[^\p{C}]{1,100}$/u, "expected a name of at most 100 visible characters")
    .optional(),
  smtp: z
    .strictObject({
      url: z
        .string()
        .refine(
          (url) => isServerUrl(url, ["smtp:", "smtps:"]),
          "expected `smtp://host:port` or `smtps://host:port`, without a user or password",
        ),
      user: text.optional(),
      secret: text.optional(),
      allowPlain: z.boolean().optional(),
    } satisfies Record<keyof SmtpOptions, z.ZodType>)
    .refine(({ user, secret }) => (user === undefined) === (secret === undefined), {
      path: ["secret"],
      message: "`user` and `secret` belong together",
    }),
  dkim: z
    .strictObject({ domain: hostName, selector: hostName, secret: text } satisfies Record<
      keyof DkimOptions,
      z.ZodType
    >)
    .optional(),
  replies: z
    .strictObject({
      address: mailAddressInput,
      imap: z.strictObject({
        url: z
          .string()
          .refine(
            (url) => isServerUrl(url, ["imap:", "imaps:"]),
            "expected `imap://host:port` or `imaps://host:port`, without a user or password",
          ),
        user: text,
        secret: text,
        mailbox: text.optional(),
        allowPlain: z.boolean().optional(),
      } satisfies Record<keyof ImapOptions, z.ZodType>),
      arcSealers: z.array(hostName).optional(),
    } satisfies Record<keyof ReplyOptions, z.ZodType>)
    .optional(),
  maxPerMinute: count.optional(),
  maxPerRecipient: count.optional(),
} satisfies Record<keyof MailOptions, z.ZodType>);

/** Tells approvers by mail, over SMTP. */
export function mail(options: MailOptions): ChannelConfig {
  const { maxPerMinute = 300, maxPerRecipient = 20, smtp, dkim, replies } = options;
  return {
    name: "mail",
    maxPerMinute,
    maxPerRecipient,
    secrets: [smtp?.secret, dkim?.secret, replies?.imap?.secret].filter((name) => name !== undefined),
    faults: schemaFaults(mailSchema, options),
    open: (context) => openMail(options, context),
    ...(replies && {
      // Only the process that reads the mailbox loads the libraries that parse mails.
      receive: async (context) =>
        (await import("./in/imap.ts")).receiveByImap({ ...options, replies }, context),
    }),
  };
}

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
