import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
// Ports of the range for outgoing connections, which port 0 chooses, can be taken before Postfix and Dovecot bind them.
import { findFreePort } from "../../../packages/dev-servers/src/ports.ts";
import { hasProgram } from "../optional-programs.ts";

const run = promisify(execFile);

/** Postfix starts only as root. */
export const hasPostfixAndDovecot = hasProgram(
  ["/usr/sbin/postfix", "/usr/sbin/dovecot"].every(existsSync) && process.getuid?.() === 0,
  "Postfix with Dovecot, or the right to start them (root),",
  "apt-get install -y --no-install-recommends postfix dovecot-imapd dovecot-lmtpd dovecot-submissiond",
);

/** Loopback addresses. Paraph trusts its own machine only at 127.0.0.1, and verifies certificates at other addresses. */
const host = "127.0.0.2";
const otherHost = "127.0.0.3";
/** The folders of each user besides INBOX. */
const specialFolders = ["Archive", "Drafts", "Sent"];
const domains = ["paraph.example", "example.com"];

interface Ports {
  readonly smtp: number;
  readonly submission: number;
  readonly imaps: number;
  readonly lmtp: number;
}

/**
 * A mail provider of real parts: Dovecot takes mail with a login over STARTTLS, Postfix routes it and takes mail from
 * other providers, and Dovecot keeps the mailboxes. The password of each user is `secret`.
 */
export class PostfixDovecot {
  readonly folder: string;
  /** The certificate of the authority that signed the certificate of the servers, for `tls.setDefaultCACertificates`. */
  readonly authority: string;
  readonly #ports: Ports;
  readonly #children: readonly ChildProcess[];

  private constructor(folder: string, authority: string, ports: Ports, children: readonly ChildProcess[]) {
    this.folder = folder;
    this.authority = authority;
    this.#ports = ports;
    this.#children = children;
  }

  /**
   * Starts the servers with a mailbox for each address. The addresses are in `paraph.example` or `example.com`. With
   * `introspectionUrl`, Dovecot also accepts access tokens, which it verifies at this URL.
   */
  static async start(
    addresses: readonly string[],
    { introspectionUrl }: { readonly introspectionUrl?: string } = {},
  ): Promise<PostfixDovecot> {
    const folder = await mkdtemp(join(tmpdir(), "paraph-mail-"));
    // Dovecot and Postfix read their folders as users of their own.
    await chmod(folder, 0o755);
    const ports = {
      smtp: await findFreePort(),
      submission: await findFreePort(),
      imaps: await findFreePort(),
      lmtp: await findFreePort(),
    };
    const authority = await createCertificate(folder);
    await writeDovecot(folder, ports, addresses, introspectionUrl);
    await writePostfix(folder, ports, addresses);
    const children = [
      spawn("/usr/sbin/dovecot", ["-F", "-c", join(folder, "dovecot.conf")], { stdio: "ignore" }),
      spawn("/usr/sbin/postfix", ["-c", join(folder, "postfix"), "start-fg"], { stdio: "ignore" }),
    ];
    const servers = new PostfixDovecot(folder, authority, ports, children);
    try {
      await Promise.all(Object.values(ports).map((port) => servers.#waitForPort(port)));
    } catch (error) {
      await servers.stop();
      throw error;
    }
    return servers;
  }

  /** The address at which users send mail after a login. */
  get submissionUrl(): string {
    return `smtp://${host}:${this.#ports.submission}`;
  }

  /** The same server under a host that its certificate does not name. */
  get mismatchedUrl(): string {
    return `smtp://${otherHost}:${this.#ports.submission}`;
  }

  get imapUrl(): string {
    return `imaps://${host}:${this.#ports.imaps}`;
  }

  /** Delivers a mail as another provider does, without a login. */
  async deliver(raw: Buffer, from: string, to: string): Promise<void> {
    const transport = createTransport({ host: "127.0.0.1", port: this.#ports.smtp, ignoreTLS: true });
    await transport.sendMail({ raw, envelope: { from, to } });
    transport.close();
  }

  /** Returns the mails of a user that contain this text, read over IMAP with TLS, once there are this many. */
  async waitForMails(user: string, text: string, count: number): Promise<readonly Buffer[]> {
    const client = new ImapFlow({
      host,
      port: this.#ports.imaps,
      secure: true,
      tls: { ca: this.authority },
      auth: { user, pass: "secret" },
      logger: false,
    });
    await client.connect();
    try {
      return await repeatUntilDone(async () => {
        await client.mailboxOpen("INBOX", { readOnly: true });
        const all = await client.fetchAll("1:*", { source: true });
        const found = all.flatMap(({ source }) => source ?? []).filter((raw) => raw.includes(text));
        if (found.length < count) throw new Error(`${found.length} of ${count} mails`);
        return found;
      });
    } finally {
      await client.logout();
    }
  }

  /** Waits until Postfix has delivered or bounced every mail that it accepted. */
  async waitUntilDelivered(): Promise<void> {
    await repeatUntilDone(async () => {
      // A mail moves from each queue to the next one, and between the last two in both directions. The deferred mails are
      // therefore read twice.
      for (const queue of ["maildrop", "incoming", "deferred", "active", "deferred"]) {
        const left = await readdir(join(this.folder, "spool", queue), {
          recursive: true,
          withFileTypes: true,
        });
        if (left.some((entry) => entry.isFile())) throw new Error(`Mail is left in ${queue}.`);
      }
    });
  }

  /** Stops both servers, and waits until no process of theirs is left. */
  async stop(): Promise<void> {
    const ended = this.#children.map((child) => child.exitCode ?? once(child, "exit"));
    await run("/usr/sbin/postfix", ["-c", join(this.folder, "postfix"), "stop"]).catch(() => {});
    this.#children[0]?.kill("SIGTERM");
    await Promise.all(ended);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async #waitForPort(port: number): Promise<void> {
    await repeatUntilDone(async () => {
      const dead = this.#children.find(({ exitCode }) => exitCode !== null);
      if (dead) throw new Error(`${dead.spawnfile} ended:\n${await this.readLogs()}`);
      const socket = connect(port, "127.0.0.1");
      try {
        await once(socket, "connect");
      } finally {
        socket.destroy();
      }
    });
  }

  async readLogs(): Promise<string> {
    const logs = ["dovecot.log", "postfix.log"].map((name) => readFile(join(this.folder, name), "utf8"));
    return (await Promise.all(logs.map((log) => log.catch(() => "")))).join("\n");
  }
}

/**
 * The time that a caller waits for the servers. The limit stops hanging tests and makes no claim about speed. This
 * module does without vitest, because the conformance test of the mail adapter also runs in plain Node.
 */
const maxWaitMs = 120_000;

async function repeatUntilDone<T>(body: () => Promise<T>): Promise<T> {
  const patience = performance.now() + maxWaitMs;
  for (;;) {
    try {
      return await body();
    } catch (error) {
      if (performance.now() > patience) throw error;
      await pause(20);
    }
  }
}

/** Creates a certificate authority and a certificate for `host`, and returns the certificate of the authority. */
async function createCertificate(folder: string): Promise<string> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  await openssl("req", "-x509", ...key, "-subj", "/CN=test", "-keyout", "ca.key", "-out", "ca.pem");
  await openssl(
    ...["req", "-x509", ...key, "-subj", `/CN=${host}`, "-addext", `subjectAltName=IP:${host}`],
    ...["-addext", "basicConstraints=critical,CA:FALSE", "-CA", "ca.pem", "-CAkey", "ca.key"],
    ...["-keyout", "server.key", "-out", "server.pem"],
  );
  return readFile(join(folder, "ca.pem"), "utf8");
}

async function writeDovecot(
  folder: string,
  { submission, imaps, lmtp, smtp }: Ports,
  addresses: readonly string[],
  introspectionUrl: string | undefined,
): Promise<void> {
  const { uid, gid } = await findUser("mail");
  await mkdir(join(folder, "mail"));
  await chown(join(folder, "mail"), uid, gid);
  await writeFile(
    join(folder, "users"),
    addresses.map((address) => `${address}:{PLAIN}secret::::::\n`).join(""),
  );
  if (introspectionUrl !== undefined)
    await writeFile(
      join(folder, "oauth2.conf"),
      `introspection_url = ${introspectionUrl}
introspection_mode = post
username_attribute = sub
active_attribute = active
active_value = true
`,
    );
  const oauthPassdb = `passdb {
  driver = oauth2
  mechanisms = oauthbearer xoauth2
  args = ${folder}/oauth2.conf
}`;
  const listener = (protocol: string, name: string, port: number, tls = false) => `
service ${protocol} {
  inet_listener ${name} {
    port = ${port}
    ssl = ${tls ? "yes" : "no"}
  }
}`;
  await writeFile(
    join(folder, "dovecot.conf"),
    `base_dir = ${folder}/dovecot-run
state_dir = ${folder}/dovecot-state
log_path = ${folder}/dovecot.log
protocols = imap lmtp submission
listen = 127.0.0.1, ${host}, ${otherHost}
ssl = required
ssl_cert = <${folder}/server.pem
ssl_key = <${folder}/server.key
disable_plaintext_auth = yes
auth_mechanisms = plain login${introspectionUrl === undefined ? "" : " oauthbearer xoauth2"}
# A failed login otherwise delays the next ones by seconds.
auth_failure_delay = 0
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
mail_location = maildir:${folder}/mail/%u/Maildir
first_valid_uid = 1
recipient_delimiter = +
lmtp_save_to_detail_mailbox = no
hostname = mail.paraph.example
postmaster_address = postmaster@paraph.example
${introspectionUrl === undefined ? "" : oauthPassdb}
passdb {
  driver = passwd-file
  args = username_format=%Lu ${folder}/users
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/mail/%u
}
submission_relay_host = 127.0.0.1
submission_relay_port = ${smtp}
${listener("imap-login", "imap", 0)}
${listener("imap-login", "imaps", imaps, true)}
${listener("lmtp", "lmtp", lmtp)}
${listener("submission-login", "submission", submission)}
namespace inbox {
  inbox = yes
${specialFolders.map((name) => `  mailbox ${name} {\n    auto = subscribe\n    special_use = \\${name}\n  }`).join("\n")}
}
`,
  );
}

async function writePostfix(
  folder: string,
  { smtp, lmtp }: Ports,
  addresses: readonly string[],
): Promise<void> {
  const { uid, gid } = await findUser("postfix");
  for (const name of ["postfix", "spool", "data"]) await mkdir(join(folder, name));
  await chown(join(folder, "data"), uid, gid);
  await writeFile(
    join(folder, "postfix/main.cf"),
    `compatibility_level = 3.7
queue_directory = ${folder}/spool
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.paraph.example
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
virtual_mailbox_domains = ${domains.join(" ")}
virtual_mailbox_maps = inline:{ ${addresses.map((address) => `{ ${address} = x }`).join(" ")} }
recipient_delimiter = +
virtual_transport = lmtp:inet:127.0.0.1:${lmtp}
default_transport = error:no mail leaves this machine
smtpd_recipient_restrictions = reject_unauth_destination, permit
# A busy machine can delay a delivery or lose a wake-up of the queue. The defaults wait for five minutes then.
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 2s
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
`,
  );
  // Columns: type, private, unprivileged, chroot, wake-up time, process limit, command.
  const services = [
    [`127.0.0.1:${smtp}`, "inet n - n - - smtpd"],
    ["pickup", "unix n - n 60 1 pickup"],
    ["cleanup", "unix n - n - 0 cleanup"],
    ["qmgr", "unix n - n 1 1 qmgr"],
    ["rewrite", "unix - - n - - trivial-rewrite"],
    ...["bounce", "defer", "trace"].map((name) => [name, "unix - - n - 0 bounce"]),
    ["verify", "unix - - n - 1 verify"],
    ["proxymap", "unix - - n - - proxymap"],
    ...["error", "retry"].map((name) => [name, "unix - - n - - error"]),
    ["lmtp", "unix - - n - - lmtp"],
    ["anvil", "unix - - n - 1 anvil"],
    ["scache", "unix - - n - 1 scache"],
    ["postlog", "unix-dgram n - n - 1 postlogd"],
  ];
  await writeFile(join(folder, "postfix/master.cf"), services.map((line) => `${line.join(" ")}\n`).join(""));
}

async function findUser(name: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const line = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
