// The way of a meeting that a person moves by mail, through real servers: Postfix and Dovecot for mail, Radicale for the
// calendar. A Paraph process dies at a durable boundary of each step, and another one takes over.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PublicKey, verifyReceipt } from "@paraph/core";
import { simpleParser } from "mailparser";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import {
  isRadicaleInstalled,
  putEvent,
  type Radicale,
  radicalePassword,
  startRadicale,
} from "../../packages/adapters/src/calendar/testing/radicale.ts";
import {
  createOwnKey,
  readRecord,
  writeMail,
} from "../../packages/server/src/channels/mail/in/testing/draft.ts";
import { provision } from "../../packages/server/src/postgres/index.ts";
import { eventually } from "../support/eventually.ts";
import { MeetingProcess } from "../support/meeting/meeting-process.ts";
import { hasProgram } from "../support/optional-programs.ts";
import { createTestDatabase, type TestDatabase } from "../support/servers/database.ts";
import { hasPostfixAndDovecot, PostfixDovecot } from "../support/servers/postfix-dovecot.ts";

const tenant = "acme";
const addresses = {
  bo: "bo@example.com",
  cy: "cy@example.com",
  team: "team@example.com",
  paraph: "paraph@paraph.example",
  agent: "agent@paraph.example",
  assistant: "assistant@paraph.example",
};
const hasRadicale = hasProgram(isRadicaleInstalled, "Radicale", "apt-get install radicale");

/**
 * Sets PostgreSQL's clock, which determines what `tomorrow` means, to noon in Berlin. Midnight therefore cannot pass
 * while the test runs. Returns the day after, as `20261120`.
 */
async function startAtNoon({ query }: TestDatabase): Promise<string> {
  const [found] = await query(
    `select to_char(noon + interval '1 day', 'YYYYMMDD') as tomorrow,
            round(extract(epoch from (noon at time zone 'Europe/Berlin') - now()))::int as seconds
     from (select date_trunc('day', now() at time zone 'Europe/Berlin') + interval '12 hours' as noon) today`,
  );
  await query(
    `create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + make_interval(secs => ${found!.seconds})'`,
  );
  return String(found!.tomorrow);
}

describe.runIf(hasPostfixAndDovecot && hasRadicale)("a meeting that a person moves by mail", () => {
  let tomorrow: string;
  let folder: string;
  let servers: PostfixDovecot;
  let radicale: Radicale;
  let paraph: MeetingProcess;
  let keys: Record<"bo" | "cy", string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraph-meeting-"));
    const database = await createTestDatabase();
    tomorrow = await startAtNoon(database);
    servers = await PostfixDovecot.start(Object.values(addresses));
    radicale = await startRadicale(folder, ["bo"]);
    const { privateKey, ...dkim } = createOwnKey();
    const secrets = {
      "deployment/smtp": "secret",
      "deployment/imap": "secret",
      "deployment/dkim": privateKey,
      "acme/MAIL_PASSWORD": "secret",
      "acme/CALDAV_PASSWORD": radicalePassword,
    };
    for (const [name, secret] of Object.entries(secrets)) {
      await mkdir(join(folder, "secrets", name, ".."), { recursive: true });
      await writeFile(join(folder, "secrets", name), secret);
    }
    await writeFile(join(folder, "authority.pem"), servers.authority);
    keys = await provision(database.ownerUrl, async (p) => {
      await p.addTenant(tenant);
      await p.addPrincipal({ tenant, id: "bo", kind: "person" });
      await p.addPrincipal({ tenant, id: "cy", kind: "person", groups: ["leads"] });
      return { bo: await p.createKey(tenant, "bo"), cy: await p.createKey(tenant, "cy") };
    });
    for (const id of ["bo", "cy"] as const)
      await database.query("select paraph.contact_set($1, $2, 'mail', $3, 'administration')", [
        ...[tenant, id, addresses[id]],
      ]);
    paraph = new MeetingProcess({
      folder,
      databaseUrl: database.url,
      addresses,
      calendar: { host: radicale.host, url: radicale.url("bo") },
      servers: { submissionUrl: servers.submissionUrl, imapUrl: servers.imapUrl },
      authority: join(folder, "authority.pem"),
      dkim,
      dnsRecords: Object.fromEntries(
        ["example.com", "paraph.example"].map((domain) => [domain, readRecord(domain)]),
      ),
    });
    await paraph.start();
    // The quiet hours give Paraph the time zone of the words.
    const quiet = { from: "22:00", until: "06:00", timeZone: "Europe/Berlin" };
    const set = await request("bo", "PUT", "/v1/me/notifications", { channels: ["mail"], quiet });
    expect(set.status).toBe(200);
    const meeting = (uid: string, title: string, hour: string, guest: string) => [
      ...["BEGIN:VEVENT", `UID:${uid}`, "DTSTAMP:20261101T000000Z", `SUMMARY:${title}`],
      `DTSTART;TZID=Europe/Berlin:${tomorrow}T${hour}0000`,
      `DTEND;TZID=Europe/Berlin:${tomorrow}T${hour}3000`,
      `ORGANIZER:mailto:${addresses.bo}`,
      `ATTENDEE;CN=${guest}:mailto:${guest.toLowerCase().replace(" ", ".")}@example.com`,
      "END:VEVENT",
    ];
    await putEvent(radicale, "bo", "review.ics", meeting("review", "Design review", "10", "Ana Berg"));
    await putEvent(radicale, "bo", "other.ics", meeting("other", "Budget review", "11", "Jon Ash"));
  });
  beforeEach(() => {
    onTestFailed(async () => console.error(await servers.readLogs()));
  });
  afterAll(async () => {
    await paraph?.stop();
    await radicale?.[Symbol.asyncDispose]();
    await servers?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  async function request(as: "bo" | "cy", method: string, path: string, body?: object) {
    const response = await fetch(paraph.url + path, {
      method,
      headers: {
        authorization: `Bearer ${keys[as]}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test looks at what the API says.
    return { status: response.status, body: (await response.json()) as any };
  }

  /** Returns the newest of the mails of a user that contain a text, once there are this many. */
  async function readMail(user: string, text: string, count: number) {
    const raws = await servers.waitForMails(user, text, count);
    return { raw: raws.at(-1)!, ...(await simpleParser(raws.at(-1)!)) };
  }
  type Mail = Awaited<ReturnType<typeof readMail>>;
  const first = "<first@example.com>";
  /** Sends a signed mail of Bo, as the server of his domain does. */
  async function send(to: string, text: string, messageId?: string) {
    const raw = await writeMail({
      from: addresses.bo,
      to,
      text,
      subject: "Review",
      ...(messageId && { messageId }),
    });
    await servers.deliver(raw, addresses.bo, to);
  }
  const replyTo = ({ replyTo }: Mail) => replyTo?.value[0]?.address ?? "";
  /** Approves the request to which a mail links. */
  async function approve(mail: Mail) {
    const approvals = (await request("cy", "GET", "/v1/approvals?status=open")).body.approvals;
    const open = approvals.find(({ approval }: { approval: string }) => mail.text?.includes(approval));
    const { body } = await request("cy", "GET", `/v1/calls/${open.call}`);
    const { id, digest } = body.waiting.approval;
    const decision = { decision: "approve", digest };
    // The process may die after it recorded the decision and before it answers.
    await request("cy", "POST", `/v1/approvals/${id}/decision`, decision).catch(() => undefined);
  }
  const readEvent = async (id: string) => (await radicale.send("GET", `bo/${id}`)).text;
  async function verify(mail: Mail) {
    const receipt = JSON.parse(mail.attachments[0]!.content.toString("utf8"));
    const { body } = await request("bo", "GET", "/v1/keys");
    return (await verifyReceipt(receipt, body.keys as PublicKey[])).story;
  }
  /** Counts the calls of a capability by their outcome. */
  async function countCalls(capability: string) {
    const { body } = await request("bo", "GET", `/v1/calls?capability=${capability}`);
    return (body.calls as { outcome?: { kind: string } }[]).map(({ outcome }) => outcome?.kind);
  }

  it("[TRUST 4] happens once, and its undo once, although a process dies in each step", async () => {
    const words = "Move tomorrow's review with Ana to the afternoon and tell the team";
    await paraph.dieAt({ boundary: "mailRequests.recordMeaning>received", when: "before" }, () =>
      send(addresses.agent, words, first),
    );
    const question = await readMail(addresses.bo, first, 1);
    const day = `${tomorrow.slice(0, 4)}-${tomorrow.slice(4, 6)}-${tomorrow.slice(6)}`;
    expect(question.text).toContain(`At what time in the afternoon of ${day} is \`start\`?`);
    expect(question.text).toContain("Design review");
    expect(question.text?.match(/At what time/g)).toHaveLength(1);

    await paraph.dieAt({ boundary: "mailRequests.beginRound>question", when: "after" }, () =>
      send(replyTo(question), "15:00"),
    );
    const plan = await readMail(addresses.bo, first, 2);
    expect(plan.text).toContain(`${day}T15:00`);

    await paraph.dieAt({ boundary: "mailRequests.recordCall>plan", when: "before" }, () =>
      send(replyTo(plan), "confirm"),
    );
    const asked = await readMail(addresses.cy, "Waiting for your decision", 1);
    expect(asked.text).toContain("Design review");
    expect(await readEvent("review.ics")).toContain(`${tomorrow}T100000`);

    // The intent to move the event is recorded, and it may or may not have moved.
    await paraph.dieAt({ boundary: "store.commit>performing+intent", when: "after" }, () => approve(asked));
    const outcome = await readMail(addresses.bo, "Your request ended", 1);
    expect(outcome.text).toContain("Approved by cy. The call succeeded.");
    expect(outcome.text).toMatch(/The undo cannot change[\s\S]*office\.tell/);
    expect((await verify(outcome)).outcome.kind).toBe("succeeded");
    const moved = await readEvent("review.ics");
    expect(moved).toContain(`${tomorrow}T150000`);
    const told = await readMail(addresses.team, "Moved to", 1);
    expect(told.text).toContain("Design review");

    await paraph.dieAt({ boundary: "mailRequests.openUndo", when: "before" }, () =>
      send(replyTo(outcome), "Undo that.\n\n> Your request ended"),
    );
    const askedAgain = await readMail(addresses.cy, "Waiting for your decision", 2);
    await approve(askedAgain);
    const undone = await readMail(addresses.bo, "Your undo ended", 1);
    expect(undone.text).toContain("Approved by cy. The call succeeded.");
    expect(undone.text).toMatch(/The undo did not change[\s\S]*office\.tell/);
    expect((await verify(undone)).outcome.kind).toBe("succeeded");

    expect(await readEvent("review.ics")).toContain(`${tomorrow}T100000`);
    expect(await readEvent("other.ics")).toContain(`${tomorrow}T110000`);
    expect(await countCalls("plan.apply")).toEqual(["succeeded", "succeeded"]);
    for (const capability of ["calendar.move", "office.tell", "calendar.restore"])
      expect([capability, await countCalls(capability)]).toEqual([capability, ["succeeded"]]);
    await servers.waitUntilDelivered();
    expect(await servers.waitForMails(addresses.team, "Moved to", 1)).toHaveLength(1);
    expect(await servers.waitForMails(addresses.cy, "Waiting for your decision", 2)).toHaveLength(2);
    await eventually(async () =>
      expect((await request("cy", "GET", "/v1/approvals?status=open")).body.approvals).toEqual([]),
    );
  }, 600_000);
});
