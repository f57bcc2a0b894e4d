import { once } from "node:events";
import { Readable } from "node:stream";
import type { CapabilityError } from "@paraph/core";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { repeatIfRevoked } from "../../oauth/revoked-token.ts";
import type { CallContext, MailContext } from "../context.ts";
import { type MailLogin, openLogin } from "./login.ts";
import { mailFault, quoteReply, toConnectFault } from "./mail-fault.ts";
import { resolveServer } from "./resolve-server.ts";

const connectTimeoutMs = 10_000;

/** A connection to the SMTP server after the login. */
export interface SmtpSession {
  /** Sends a message, and returns the recipients that the server refused. At least one recipient was accepted. */
  send(envelope: SmtpEnvelope, content: Buffer): Promise<readonly string[]>;
}

export interface SmtpEnvelope {
  readonly from: string;
  readonly to: readonly string[];
}

/** Connects to the SMTP server for one call and logs in. The signal of the call closes the connection. */
export async function withSmtp<T>(
  mail: MailContext,
  context: CallContext,
  use: (session: SmtpSession) => Promise<T>,
): Promise<T> {
  const { session, release } = await repeatIfRevoked(() => connect(mail, context));
  try {
    return await use(session);
  } finally {
    release();
  }
}

/** Connects and logs in. `release` closes the connection. */
async function connect(
  mail: MailContext,
  context: CallContext,
): Promise<{ readonly session: SmtpSession; readonly release: () => void }> {
  const { config, ca } = mail;
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const login = await openLogin(mail, "smtp", context);
  const { address, port, secure, servername } = await resolveServer(config.smtp, mail).catch((error) => {
    throw toConnectFault(error, "SMTP", context);
  });
  const connection = new Connection({
    host: address,
    port,
    secure,
    ...(servername !== undefined && { servername }),
    requireTLS: !secure,
    tls: { ...(servername !== undefined && { servername }), ...(ca !== undefined && { ca }) },
    // The greeting must not reveal the name of this machine.
    name: "[127.0.0.1]",
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    logger: false,
  });
  const stop = () => connection.close();
  context.signal.addEventListener("abort", stop, { once: true });
  const release = () => {
    context.signal.removeEventListener("abort", stop);
    connection.close();
  };
  try {
    await logIn(connection, login, context);
  } catch (error) {
    release();
    throw error;
  }
  return {
    session: { send: (envelope, content) => send(connection, envelope, content, [login.secret]) },
    release,
  };
}

async function logIn(connection: SMTPConnection, login: MailLogin, context: CallContext): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    connection.on("error", reject);
    connection.once("end", () => reject(new Error("closed")));
  });
  failed.catch(() => {});
  if (context.signal.aborted) throw toConnectFault(undefined, "SMTP", context);
  try {
    const connected = once(connection, "connect");
    connected.catch(() => {});
    connection.connect((error) => error && connection.emit("error", error));
    await Promise.race([connected, failed]);
    const authentication = await createAuthentication(login);
    const loggedIn = new Promise<void>((resolve, reject) =>
      connection.login(authentication, (error) => (error ? reject(error) : resolve())),
    );
    loggedIn.catch(() => {});
    await Promise.race([loggedIn, failed]);
    login.accept();
  } catch (error) {
    throw toLoginFault(error, login, context);
  }
}

async function createAuthentication({ user, secret, isToken }: MailLogin) {
  if (!isToken) return { credentials: { user, pass: secret } };
  const { default: XOAuth2 } = await import("nodemailer/lib/xoauth2");
  return { oauth2: new XOAuth2({ user, accessToken: secret }) };
}

function toLoginFault(error: unknown, login: MailLogin, context: CallContext): CapabilityError {
  const { code, originalCode, responseCode } = (error ?? {}) as Record<string, unknown>;
  // After a refused access token, nodemailer asks for another one and fails, because it has only this one.
  const isTokenRefused = originalCode === "EOAUTH2";
  if (code === "EAUTH" && (isTokenRefused || (typeof responseCode === "number" && responseCode >= 500)))
    return login.refuse();
  return toConnectFault(error, "SMTP", context);
}

async function send(
  connection: SMTPConnection,
  envelope: SmtpEnvelope,
  content: Buffer,
  secrets: readonly string[],
): Promise<readonly string[]> {
  // The server cannot accept a message that it has not got. Until the client reads the content, which it does only
  // after the server asked for it, the message is not sent.
  let hasBegun = false;
  const stream = new Readable({
    read() {
      hasBegun = true;
      this.push(content);
      this.push(null);
    },
  });
  try {
    return await new Promise((resolve, reject) => {
      // The callback has the reason for the end, and comes after the event.
      connection.once("end", () => setImmediate(reject, new Error("closed")));
      connection.send(
        { from: envelope.from, to: [...envelope.to], size: content.length },
        stream,
        (error, info) => (error || !info ? reject(error) : resolve(info.rejected)),
      );
    });
  } catch (error) {
    throw toSendFault(error, hasBegun, secrets);
  } finally {
    stream.destroy();
  }
}

/** A reply is definite. Without a reply, the message may have been accepted once its content was on the way. */
function toSendFault(error: unknown, hasBegun: boolean, secrets: readonly string[]): CapabilityError {
  const { responseCode, response } = (error ?? {}) as Record<string, unknown>;
  const reply = quoteReply(response, secrets);
  if (typeof responseCode === "number" && responseCode >= 500)
    return mailFault("permanent", "smtp-refused", `The SMTP server refused the message.${reply}`);
  // 421 says that the server closes the connection, and it can come instead of the reply to the message.
  if (typeof responseCode === "number" && responseCode >= 400 && !(responseCode === 421 && hasBegun))
    return mailFault(
      "not-performed",
      "smtp-deferred",
      `The SMTP server cannot take the message now.${reply}`,
    );
  return hasBegun
    ? mailFault(
        "ambiguous",
        "connection-lost",
        "The connection to the SMTP server ended before the server confirmed the message.",
      )
    : mailFault(
        "not-performed",
        "unreachable",
        "The connection to the SMTP server ended before the message was sent.",
      );
}
