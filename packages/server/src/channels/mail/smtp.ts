import { createPrivateKey } from "node:crypto";
import type { AccessToken } from "@paraph/adapters/oauth";
import { CapabilityError } from "@paraph/core";
import type { Channel, ChannelContext, Delivery } from "../channel.ts";
import { type ChannelTokens, openChannelTokens } from "./channel-tokens.ts";
import type { MailOptions } from "./options.ts";

type SmtpMailOptions = Exclude<MailOptions, { resend: object }>;

const timeoutMs = 30_000;

/** Opens the mail channel over SMTP. It connects when it sends the first message. */
export function openSmtp(options: SmtpMailOptions, context: ChannelContext): Channel {
  const tokens = options.smtp.oauth && openChannelTokens(options.smtp.oauth, context);
  let transport: ReturnType<typeof createSmtpTransport> | undefined;
  const close = async () => {
    const open = transport;
    transport = undefined;
    (await open?.catch(() => undefined))?.close();
  };
  return {
    async tell(message, signal) {
      transport ??= createSmtpTransport(options, context, tokens);
      const stop = () => void close();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const { composeMail } = await import("./message.ts");
        const { response } = await (await transport).sendMail(composeMail(message, options));
        return { kind: "sent", providerId: toProviderId(response) };
      } catch (error) {
        // The next attempt reads the secrets again, because an operator may have replaced them.
        await close();
        return toFailure(error);
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    async close() {
      await close();
      await tokens?.close();
    },
  };
}

async function createSmtpTransport(
  { smtp, dkim }: SmtpMailOptions,
  { credential }: ChannelContext,
  tokens: ChannelTokens | undefined,
) {
  const { createTransport } = await import("nodemailer");
  const { protocol, hostname, port } = new URL(smtp.url);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  const secure = protocol === "smtps:";
  const isLocal = ["localhost", "127.0.0.1", "::1"].includes(host);
  const allowPlain = smtp.allowPlain ?? isLocal;
  return createTransport({
    pool: true,
    maxConnections: 1,
    // Paraph repeats messages itself, so that each attempt counts towards the limits.
    maxRequeues: 0,
    host,
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !allowPlain,
    // A server on this machine often has a certificate of its own making, and no other machine can answer for it.
    ...(isLocal && { tls: { rejectUnauthorized: false } }),
    ...(smtp.user !== undefined && {
      auth: tokens
        ? createTokenLogin(smtp.user, tokens)
        : { user: smtp.user, pass: await credential(smtp.secret ?? "") },
    }),
    ...(dkim && {
      dkim: {
        domainName: dkim.domain,
        keySelector: dkim.selector,
        privateKey: readRsaKey(await credential(dkim.secret)),
      },
    }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Gets a token for each login. If the server refuses it, nodemailer asks once more, and gets a new token. */
function createTokenLogin(user: string, tokens: ChannelTokens) {
  let last: AccessToken | undefined;
  return {
    type: "OAuth2" as const,
    user,
    provisionCallback: (
      _user: string,
      renew: boolean,
      done: (error: Error | null, token?: string, expires?: number) => void,
    ) => {
      if (renew && last) tokens.reject(last);
      tokens.get().then(
        (token) => {
          last = token;
          // The expiry in the past keeps nodemailer from caching the token.
          done(null, token.value, 1);
        },
        (error) => done(error),
      );
    },
  };
}

const unusableKey = "EDKIMKEY";

/** Returns the key if nodemailer can sign with it. With any other key, nodemailer sends mails without a signature. */
function readRsaKey(text: string): string {
  try {
    if (createPrivateKey(text).asymmetricKeyType === "rsa") return text;
  } catch {
    // The error may contain parts of the key.
  }
  throw Object.assign(new Error("The DKIM key is no private RSA key in PEM."), { code: unusableKey });
}

/** Returns the id under which the server queued the message, or the start of its answer. */
function toProviderId(response: string): string {
  const queued = /queued as ([A-Za-z0-9_.-]{1,100})/i.exec(response)?.[1];
  return queued ?? response.replaceAll(/[^\x20-\x7e]/g, " ").slice(0, 100);
}

interface SmtpError {
  readonly code?: unknown;
  /** The code of the error in Node, if nodemailer replaced it. */
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
}

/**
 * Classifies an error. Only a refusal of this recipient or of this message is permanent. A wrong password, an expired
 * certificate or a full disk can be repaired.
 */
function toFailure(error: unknown): Delivery {
  const { code, originalCode, responseCode } = error as SmtpError;
  // Nodemailer replaces the code of an error with which no access token came.
  if (error instanceof CapabilityError && typeof originalCode === "string")
    return { kind: "failed", code: originalCode, permanent: false };
  if (code === "EAUTH") return { kind: "failed", code: "smtp-login-refused", permanent: false };
  if (typeof originalCode === "string" && /CERT|SIGNATURE/.test(originalCode))
    return { kind: "failed", code: "smtp-certificate", permanent: false };
  if (code === unusableKey) return { kind: "failed", code: "smtp-dkim-key", permanent: false };
  if (typeof responseCode === "number") {
    const isAboutMessage = code === "EENVELOPE" || code === "EMESSAGE";
    return { kind: "failed", code: `smtp-${responseCode}`, permanent: responseCode >= 500 && isAboutMessage };
  }
  const name = typeof code === "string" && /^[A-Za-z_-]{1,40}$/.test(code) ? code.toLowerCase() : "failed";
  return { kind: "failed", code: `smtp-${name}`, permanent: false };
}
