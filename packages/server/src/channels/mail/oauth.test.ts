// Logins of the mail channel with access tokens, at a real authorization server and real Postfix and Dovecot.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasPostfixAndDovecot, PostfixDovecot } from "../../../../../test/support/servers/postfix-dovecot.ts";
import { OauthServer, oauthClient } from "../../../../../test/support/web/oauth-server.ts";
import type { Channel, ReceiveContext } from "../channel.ts";
import { mail } from "./mail.ts";

const paraph = "paraph@paraph.example";
const ana = "ana@example.com";

describe.runIf(hasPostfixAndDovecot)("mail with `oauth`", () => {
  const authorities = getCACertificates("default");
  const secrets: Record<string, string> = { "mail-client": oauthClient.secret };
  let issuer: OauthServer;
  let servers: PostfixDovecot;
  let folder: string;
  let channel: Channel;

  beforeAll(async () => {
    issuer = await OauthServer.start();
    servers = await PostfixDovecot.start([paraph, ana], { introspectionUrl: issuer.introspectionUrl });
    setDefaultCACertificates([...authorities, servers.authority]);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraph-channel-oauth-"));
    secrets["mail-login"] = await issuer.logIn(paraph);
    channel = createConfig().open(createContext());
  });
  afterEach(async () => {
    await channel.close();
    await rm(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    setDefaultCACertificates(authorities);
    await servers?.stop();
    await issuer?.[Symbol.asyncDispose]();
  });

  function createConfig() {
    const login = {
      user: paraph,
      oauth: {
        tokenUrl: issuer.tokenUrl,
        clientId: oauthClient.id,
        clientSecret: "mail-client",
        refreshToken: "mail-login",
      },
    };
    return mail({
      from: paraph,
      smtp: { url: servers.submissionUrl, ...login },
      replies: { address: paraph, imap: { url: servers.imapUrl, ...login } },
    });
  }

  const createContext = () => ({
    credential: async (name: string) => secrets[name] ?? Promise.reject(new Error(`no ${name} here`)),
    folder,
    devices: {} as never,
  });

  let notices = 0;
  async function tell(signal = new AbortController().signal) {
    const links = { page: "https://paraph.example/approvals", preferences: "https://paraph.example/n" };
    const content = { kind: "summary", waiting: 1, ended: 0, links } as const;
    const message = { id: `notice_${++notices}`, tenant: "acme", address: ana, content };
    return channel.tell(message, signal);
  }

  /** Reads the mailbox for replies until a mail was handled, and returns the number of the mail. */
  async function receive(): Promise<number> {
    let last = 0;
    const context = {
      ...createContext(),
      signal: new AbortController().signal,
      isOwner: async () => true,
      log: () => {},
      replies: {
        findPlace: async () => undefined,
        setPlace: async (_key: string, { lastUid }: { readonly lastUid: number }) => {
          last = lastUid;
          throw new Error("enough");
        },
      },
    } as unknown as ReceiveContext;
    await createConfig().receive!(context).catch((error) => {
      if (last === 0) throw error;
    });
    return last;
  }

  it("names the secrets, and takes either a password or `oauth`", () => {
    const config = createConfig();
    expect(config.faults).toEqual([]);
    expect(config.secrets).toEqual(["mail-client", "mail-login", "mail-client", "mail-login"]);
    const oauth = { tokenUrl: issuer.tokenUrl, clientId: "a", refreshToken: "mail-login" };
    const url = "smtps://smtp.example.org";
    const faults = (smtp: object) => mail({ from: paraph, smtp: { url, ...smtp } }).faults.length;
    expect([{}, { user: "a", oauth }, { user: "a", secret: "b" }].map(faults)).toEqual([0, 0, 0]);
    expect([{ oauth }, { user: "a" }, { user: "a", secret: "b", oauth }].map(faults)).toEqual([1, 1, 1]);
  });

  it("sends with access tokens, and gets a new one after the server refused one", async () => {
    expect(await tell()).toMatchObject({ kind: "sent" });
    // Dovecot writes its log in a process of its own, so the line may come after the mail.
    await expect.poll(() => servers.readLogs()).toMatch(/submission-login: Info: Login: .*method=XOAUTH2/);
    // A stopped message closes the connection, so the next one logs in again, with a token that is no longer valid.
    const stopping = new AbortController();
    const stopped = tell(stopping.signal);
    stopping.abort();
    await stopped;
    await issuer.revokeAccessTokens();
    issuer.tokenRequests = 0;
    expect(await tell()).toMatchObject({ kind: "sent" });
    expect(issuer.tokenRequests).toBe(1);
  });

  it("reads replies with access tokens", async () => {
    await servers.deliver(Buffer.from("Subject: a\r\n\r\nHello\r\n"), ana, paraph);
    await servers.waitUntilDelivered();
    expect(await receive()).toBe(1);
    await expect.poll(() => servers.readLogs()).toMatch(/imap-login: Info: Login: .*method=OAUTHBEARER/);
  });

  it("[TRUST 16] says with a code which server refused the login, and nothing of the secrets", async () => {
    const failures: unknown[] = [];
    // The token is for another person.
    secrets["mail-login"] = await issuer.logIn(ana);
    failures.push(await tell(), await receive().catch((error) => error));
    secrets["mail-login"] = "no such token";
    failures.push(await tell(), await receive().catch((error) => error));
    expect(failures).toMatchObject([
      { kind: "failed", code: "smtp-login-refused", permanent: false },
      { code: "imap-login-refused" },
      { kind: "failed", code: "oauth-refused", permanent: false },
      { code: "oauth-refused" },
    ]);
    const text = inspect(failures, { depth: 20 });
    for (const secret of [...issuer.accessTokens, ...Object.values(secrets)])
      expect(text).not.toContain(secret);
  });
});
