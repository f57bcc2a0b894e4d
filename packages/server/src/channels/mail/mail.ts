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
        .refine(isSmtpUrl, "expected `smtp://host:port` or `smtps://host:port`, without a user or password"),
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
  maxPerMinute: count.optional(),
  maxPerRecipient: count.optional(),
} satisfies Record<keyof MailOptions, z.ZodType>);

/** Tells approvers by mail, over SMTP. */
export function mail(options: MailOptions): ChannelConfig {
  const { maxPerMinute = 300, maxPerRecipient = 20, smtp, dkim } = options;
  return {
    name: "mail",
    maxPerMinute,
    maxPerRecipient,
    secrets: [smtp?.secret, dkim?.secret].filter((name) => name !== undefined),
    faults: schemaFaults(mailSchema, options),
    open: (context) => openMail(options, context),
  };
}

function isSmtpUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, hostname, pathname } = new URL(address);
  return (
    ["smtp:", "smtps:"].includes(protocol) &&
    hostname !== "" &&
    username === "" &&
    password === "" &&
    ["", "/"].includes(pathname)
  );
}
