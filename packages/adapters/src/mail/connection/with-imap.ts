import { getSecretName } from "../config.ts";
import type { CallContext, MailContext } from "../context.ts";
import { ImapSession } from "./imap-session.ts";
import { loginRefusedFault, mailFault, toConnectFault } from "./mail-fault.ts";
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
  if (context.signal.aborted) throw toConnectFault(undefined, "IMAP", context);
  const { config, ca } = mail;
  const { ImapFlow } = await import("imapflow");
  const pass = await context.credential(getSecretName(config.imap));
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
    auth: { user: config.imap.user ?? config.address, pass },
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
  const session = new ImapSession(client, [pass]);
  try {
    await client.connect().catch((error) => {
      throw toImapConnectFault(error, context);
    });
    return await use(session);
  } catch (error) {
    throw session.toFault(error);
  } finally {
    context.signal.removeEventListener("abort", stop);
    client.close();
  }
}

function toImapConnectFault(error: unknown, context: CallContext) {
  const { authenticationFailed, serverResponseCode } = (error ?? {}) as Record<string, unknown>;
  // RFC 5530: the server cannot check the login for now.
  if (authenticationFailed === true && serverResponseCode === "UNAVAILABLE")
    return mailFault("not-performed", "unreachable", "The IMAP server cannot check the login now.");
  return authenticationFailed === true ? loginRefusedFault("IMAP") : toConnectFault(error, "IMAP", context);
}
