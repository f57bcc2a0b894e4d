import { once } from "node:events";
import { ImapFlow } from "imapflow";
import type { MailPlace } from "../../../postgres/index.ts";
import type { ReceiveContext } from "../../channel.ts";
import { openChannelTokens } from "../channel-tokens.ts";
import type { ImapOptions } from "../options.ts";
import { createHandleDeps, maxMailBytes, type RepliesOptions } from "./handle-deps.ts";
import { handleMail } from "./handle-mail.ts";
import { createResolver, type ResolveDns } from "./sender-proof.ts";

/** The time for which Paraph waits for news before it asks the server whether the connection still works. */
const heartbeatMs = 60_000;
const timeoutMs = 30_000;

/** Reads the mailbox for replies until the signal aborts, the connection is lost, or another process owns the channel. */
export async function receiveByImap(
  options: RepliesOptions,
  context: ReceiveContext,
  resolve: ResolveDns = createResolver(),
): Promise<void> {
  const { imap } = options.replies;
  if (!imap) return;
  const client = await connect(imap, context);
  const stop = () => client.close();
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect().catch((error) => {
      throw toLoginError(error);
    });
    const { uidValidity } = await client.mailboxOpen(imap.mailbox ?? "INBOX", { readOnly: true });
    const handleDeps = createHandleDeps(options, context, resolve);
    const handle = (raw: Buffer) => handleMail(raw, handleDeps);
    let hasNews = false;
    client.on("exists", () => {
      hasNews = true;
    });
    do {
      hasNews = false;
      await readNew(client, { key: toMailboxKey(imap), uidValidity, handle }, context);
      // A message can arrive while others are read, before anything waits for the announcement.
      if (!hasNews) await waitForNews(client);
    } while (!context.signal.aborted && (await context.isOwner()));
  } finally {
    context.signal.removeEventListener("abort", stop);
    client.close();
  }
}

/** Gives an error of the login a code for the log. */
function toLoginError(error: unknown): unknown {
  const { authenticationFailed } = (error ?? {}) as { readonly authenticationFailed?: unknown };
  if (authenticationFailed !== true) return error;
  return Object.assign(new Error("The mail server refused the login."), { code: "imap-login-refused" });
}

async function connect(imap: ImapOptions, context: ReceiveContext): Promise<ImapFlow> {
  const { protocol, hostname, port } = new URL(imap.url);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  const secure = protocol === "imaps:";
  const isLocal = ["localhost", "127.0.0.1", "::1"].includes(host);
  const allowPlain = imap.allowPlain ?? isLocal;
  const client = new ImapFlow({
    host,
    port: port === "" ? (secure ? 993 : 143) : Number(port),
    secure,
    ...(!secure && !allowPlain && { doSTARTTLS: true }),
    // A server on this machine often has a certificate of its own making, and no other machine can answer for it.
    ...(isLocal && { tls: { rejectUnauthorized: false } }),
    auth: { user: imap.user, ...(await readSecret(imap, context)) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: heartbeatMs + timeoutMs,
  });
  // A lost connection also fails the command that runs, which ends the loop.
  client.on("error", () => {});
  return client;
}

/** Each connection gets a new access token, because a connection lasts longer than most tokens. */
async function readSecret({ secret = "", oauth }: ImapOptions, context: ReceiveContext) {
  if (!oauth) return { pass: await context.credential(secret) };
  const tokens = openChannelTokens(oauth, context);
  try {
    return { accessToken: (await tokens.get()).value };
  } finally {
    await tokens.close();
  }
}

interface Mailbox {
  readonly key: string;
  readonly uidValidity: bigint;
  readonly handle: (raw: Buffer) => Promise<void>;
}

/**
 * Handles the messages after the place, in their order. The place advances only after a message was handled. A mailbox
 * with another validity is read from its start, and known replies are recognised by their ids.
 */
async function readNew(
  client: ImapFlow,
  { key, uidValidity, handle }: Mailbox,
  { replies, log, signal }: ReceiveContext,
): Promise<void> {
  const place = await replies.findPlace(key);
  const after = place?.uidValidity === uidValidity ? place.lastUid : 0;
  // `n:*` also returns the last message if its number is below n.
  const found = await client.fetchAll(`${after + 1}:*`, { uid: true, size: true }, { uid: true });
  const fresh = found.filter(({ uid }) => uid > after).sort((a, b) => a.uid - b.uid);
  for (const { uid, size = 0 } of fresh) {
    if (signal.aborted) return;
    if (size > maxMailBytes) log("reply-ignored", { cause: "too-large" });
    else {
      const raw = await download(client, uid);
      if (raw) await handle(raw);
    }
    await replies.setPlace(key, { uidValidity, lastUid: uid } satisfies MailPlace);
  }
}

/** Returns a message. Returns undefined only if it is certain that the message was deleted meanwhile. */
async function download(client: ImapFlow, uid: number): Promise<Buffer | undefined> {
  const message = await client.fetchOne(`${uid}`, { source: true }, { uid: true });
  const source = message ? message.source : undefined;
  if (source) return source;
  const left = await client.search({ uid: `${uid}` }, { uid: true });
  if (Array.isArray(left) && !left.includes(uid)) return undefined;
  throw Object.assign(new Error("The mail server did not return a message."), { code: "fetch-lost" });
}

/** Waits until the server announces a message, or for the heartbeat, which also finds a connection that was lost. */
async function waitForNews(client: ImapFlow): Promise<void> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), heartbeatMs);
  const { signal } = waiting;
  // imapflow enters IDLE by itself only after 15 seconds.
  const idle = client.idle().catch(() => false);
  try {
    await Promise.race([
      once(client, "exists", { signal }).catch(() => undefined),
      once(client, "close", { signal }).catch(() => undefined),
    ]);
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
  // Any command ends IDLE, and fails if the connection was lost.
  await client.noop();
  await idle;
}

function toMailboxKey({ url, user, mailbox = "INBOX" }: ImapOptions): string {
  return `${user}@${new URL(url).host}/${mailbox}`;
}
