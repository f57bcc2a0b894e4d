import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "undici";
import { findFreePort } from "../../../../dev-servers/src/ports.ts";

const program = "/usr/bin/radicale";

export const isRadicaleInstalled = existsSync(program);

/** A real CalDAV server on a local port, with one user and one calendar per name. */
export interface Radicale extends AsyncDisposable {
  readonly host: string;
  readonly password: string;
  readonly pid: number;
  url(calendar: string): string;
  /** Sends a request as a calendar program would. */
  send(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<DavAnswer>;
}

interface DavAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly text: string;
}

export const radicalePassword = "correct-horse-battery";

/** Starts Radicale with its data in this folder, and creates the calendars. */
export async function startRadicale(folder: string, calendars: readonly string[]): Promise<Radicale> {
  const port = await findFreePort();
  await mkdir(join(folder, "collections"), { recursive: true });
  await writeFile(join(folder, "users"), `paraph:${radicalePassword}\n`);
  const config = [
    `[server]\nhosts = 127.0.0.1:${port}\nmax_connections = 100\ntimeout = 30`,
    `[auth]\ntype = htpasswd\nhtpasswd_filename = ${join(folder, "users")}\nhtpasswd_encryption = plain\ndelay = 0`,
    "[rights]\ntype = owner_only",
    `[storage]\nfilesystem_folder = ${join(folder, "collections")}`,
    "[logging]\nlevel = warning",
  ].join("\n");
  await writeFile(join(folder, "radicale.conf"), `${config}\n`);
  const child = spawn(program, ["--config", join(folder, "radicale.conf")], { stdio: "ignore" });
  const host = `127.0.0.1:${port}`;
  const radicale = connectRadicale(host, child.pid!, () => stop(child));
  try {
    await waitUntilReady(radicale, child);
    for (const name of calendars) await createCalendar(radicale, name);
    return radicale;
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** Connects to a running server. */
export function connectRadicale(
  host: string,
  pid: number,
  close: () => Promise<void> = async () => {},
): Radicale {
  const authorization = `Basic ${Buffer.from(`paraph:${radicalePassword}`).toString("base64")}`;
  return {
    host,
    pid,
    password: radicalePassword,
    url: (calendar) => `http://${host}/paraph/${calendar}/`,
    async send(method, path, body, headers = {}) {
      const answered = await request(`http://${host}/paraph/${path}`, {
        method: method as "GET",
        headers: { authorization, ...headers },
        ...(body !== undefined && { body }),
      });
      const etag = [answered.headers.etag].flat()[0];
      return { status: answered.statusCode, etag, text: await answered.body.text() };
    },
    [Symbol.asyncDispose]: close,
  };
}

async function createCalendar(radicale: Radicale, name: string): Promise<void> {
  const body = `<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>${name}</D:displayname></D:prop></D:set></C:mkcalendar>`;
  const { status } = await radicale.send("MKCALENDAR", `${name}/`, body);
  if (status !== 201) throw new Error(`Radicale answered ${status} to MKCALENDAR.`);
}

/** Stores an event under this id, as another calendar program would. */
export async function putEvent(
  radicale: Radicale,
  calendar: string,
  id: string,
  lines: readonly string[],
): Promise<void> {
  await put(radicale, `${calendar}/${id}`, lines);
}

/** Replaces all events of a calendar. Their ids are their UIDs with `.ics`. */
export async function replaceCalendar(
  radicale: Radicale,
  calendar: string,
  lines: readonly string[],
): Promise<void> {
  await put(radicale, `${calendar}/`, lines);
}

async function put(radicale: Radicale, path: string, lines: readonly string[]): Promise<void> {
  const text = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN", ...lines, "END:VCALENDAR", ""];
  const headers = { "content-type": "text/calendar; charset=utf-8" };
  const { status, text: answer } = await radicale.send("PUT", path, text.join("\r\n"), headers);
  if (status !== 201) throw new Error(`Radicale answered ${status} to PUT: ${answer}`);
}

/** The limit stops hanging tests and makes no claim about speed. */
const maxWaitMs = 120_000;

async function waitUntilReady(radicale: Radicale, child: ChildProcess): Promise<void> {
  for (const patience = performance.now() + maxWaitMs; performance.now() < patience; ) {
    if (child.exitCode !== null) throw new Error("Radicale ended at its start.");
    const isReady = await radicale.send("OPTIONS", "").then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await pause(50);
  }
  throw new Error("Radicale did not start.");
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
