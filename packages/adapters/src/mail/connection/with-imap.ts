import { repeatIfRevoked } from "../../oauth/revoked-token.ts";
import type { CallContext, MailContext } from "../context.ts";
import { ImapSession } from "./imap-session.ts";
import { type MailLogin, openLogin } from "./login.ts";
import { mailFault, toConnectFault } from "./mail-fault.ts";
import { resolveServer } from "./resolve-server.ts";

const connectTimeoutMs = 10_000;
/** Longer lines and literals of the server end the connection. A fetch asks for parts of a bounded size. */
const maxResponseLineBytes = 4 * 1024 * 1024;
const responseOverheadBytes = 1024 * 1024;

/** Connects to the IMAP server for one call. The signal of the call closes the connection. */
export async function withImap<T>(
  mail: MailContext,
  context: CallContext,
  use: (session: ImapSession) => Promise<T>,
): Promise<T> {
  const { session, release } = await repeatIfRevoked(() => connect(mail, context));
  try {
    return await use(session);
  } catch (error) {
    throw session.toFault(error);
  } finally {
    release();
  }
}

/** Connects and logs in. `release` closes the connection. */
async function connect(
  mail: MailContext,
  context: CallContext,
): Promise<{ readonly session: ImapSession; readonly release: () => void }> {
  if (context.signal.aborted) throw toConnectFault(undefined, "IMAP", context);
  const { config, ca } = mail;
  const { ImapFlow } = await import("imapflow");
  const login = await openLogin(mail, "imap", context);
  const { address, port, secure, servername } = await resolveServer(config.imap, mail).catch((error) => {
    throw toConnectFault(error, "IMAP", context);
  });
  const client = new ImapFlow({
    host: address,
    port,
    secure,
    ...(servername !== undefined && { servername }),
    ...(!secure && { doSTARTTLS: true }),
    tls: { ...(ca !== undefined && { ca }) },
    auth: { user: login.user, ...(login.isToken ? { accessToken: login.secret } : { pass: login.secret }) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    maxLineLength: maxResponseLineBytes,
    maxLiteralSize: config.maxBytes + responseOverheadBytes,
    maxResponseSize: config.maxBytes + 2 * maxResponseLineBytes,
  });
  // A lost connection also fails the command that runs.
  client.on("error", () => {});
  const stop = () => client.close();
  context.signal.addEventListener("abort", stop, { once: true });
  const release = () => {
    context.signal.removeEventListener("abort", stop);
    client.close();
  };
  try {
    await client.connect();
  } catch (error) {
    release();
    throw toImapConnectFault(error, login, context);
  }
  login.accept();
  return { session: new ImapSession(client, [login.secret]), release };
}

function toImapConnectFault(error: unknown, login: MailLogin, context: CallContext) {
  const { authenticationFailed, serverResponseCode, message } = (error ?? {}) as Record<string, unknown>;
  // RFC 5530: the server cannot check the login for now.
  if (authenticationFailed === true && serverResponseCode === "UNAVAILABLE")
    return mailFault("not-performed", "unreachable", "The IMAP server cannot check the login now.");
  if (message === "Unsupported authentication mechanism")
    return mailFault(
      "permanent",
      "login-unsupported",
      `The IMAP server does not support a login with ${login.isToken ? "an access token (OAUTHBEARER or XOAUTH2)" : "a password"}. Check \`url\`.`,
    );
  return authenticationFailed === true ? login.refuse() : toConnectFault(error, "IMAP", context);
}
