import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runUserGit } from "./testing.ts";

/** A host of git repositories for tests. It uses the real protocol over a socket, with git's own server program. */
export interface GitHost extends AsyncDisposable {
  readonly url: string;
  /** The folder of the host's only repository. */
  readonly folder: string;
  /** The behaviour from now on. */
  behavior:
    | "well"
    | "busy"
    | "mute-after-push"
    | "busy-after-push"
    | "gone-after-push"
    | "late-push"
    | "elsewhere"
    | "silent";
  /** The requests so far, as `GET /path`, with their authorization header. */
  readonly requests: { readonly what: string; readonly authorization: string | undefined }[];
  /** Performs the push that the behaviour `late-push` has accepted and postponed. */
  finishPush(): Promise<void>;
  /** Waits until the host works on no request, also of clients that have died. */
  untilIdle(): Promise<void>;
}

export async function startGitHost(base: string, password?: string): Promise<GitHost> {
  const folder = join(base, "host", "remote.git");
  runUserGit(base, "init", "--quiet", "--bare", "--initial-branch=main", folder);
  runUserGit(folder, "config", "http.receivepack", "true");
  const server = createServer((request, response) => answer(request, response));
  let finishPush = async () => {};
  const programs = new Set<Promise<unknown>>();
  const it: Omit<GitHost, "url" | typeof Symbol.asyncDispose> = {
    folder,
    behavior: "well",
    requests: [],
    finishPush: () => finishPush(),
    untilIdle: async () => {
      while (programs.size > 0) await Promise.all(programs);
    },
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { authorization } = request.headers;
    it.requests.push({ what: `${request.method} ${request.url}`, authorization });
    const good =
      password === undefined ||
      authorization === `Basic ${Buffer.from(`git:${password}`).toString("base64")}`;
    if (!good) return response.writeHead(401, { "www-authenticate": "Basic" }).end();
    if (it.behavior === "silent") return;
    if (it.behavior === "busy") return response.writeHead(503).end();
    if (it.behavior === "elsewhere")
      return response.writeHead(302, { location: `http://localhost:${port()}/else${request.url}` }).end();
    if (it.behavior === "late-push" && isPush(request))
      return void postponePush(base, request).then((finish) => {
        finishPush = finish;
        request.socket.destroy();
      });
    const ended = once(serveGit(base, request, response, afterPushAnswers[it.behavior]), "close");
    programs.add(ended);
    void ended.finally(() => programs.delete(ended));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = () => (server.address() as AddressInfo).port;
  return Object.assign(it, {
    url: `http://127.0.0.1:${port()}/remote.git`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** The answers that a push can get after the remote has applied it. */
const afterPushAnswers: Partial<Record<GitHost["behavior"], number | "nothing">> = {
  "mute-after-push": "nothing",
  "busy-after-push": 503,
  "gone-after-push": 404,
};

/**
 * Passes a request to git's own server program and returns the program's answer. With `after`, a push gets that status
 * or a closed connection instead.
 */
function serveGit(
  base: string,
  request: IncomingMessage,
  response: ServerResponse,
  after: number | "nothing" | undefined,
): ChildProcess {
  const program = startGitProgram(base, request);
  // Without the kill, the program would wait for the rest of a request whose client has died.
  request.on("close", () => request.complete || program.kill());
  program.stdin.on("error", () => {});
  request.pipe(program.stdin);
  const parts: Buffer[] = [];
  program.stdout.on("data", (part: Buffer) => parts.push(part));
  program.on("close", () => {
    if (after !== undefined && isPush(request))
      return void (after === "nothing" ? request.socket.destroy() : response.writeHead(after).end());
    const whole = Buffer.concat(parts);
    const end = whole.indexOf("\r\n\r\n");
    const headers = whole
      .subarray(0, end)
      .toString("latin1")
      .split("\r\n")
      .map((line) => line.split(": ") as [string, string]);
    const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== "Status")));
    response.end(whole.subarray(end + 4));
  });
  return program;
}

/** Reads the whole request. Returns a function that passes it to git's own server program. */
async function postponePush(base: string, request: IncomingMessage): Promise<() => Promise<void>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return async () => {
    const program = startGitProgram(base, request);
    program.stdin.end(Buffer.concat(parts));
    program.stdout.resume();
    await once(program, "close");
  };
}

function isPush({ method, url }: IncomingMessage): boolean {
  return method === "POST" && url!.endsWith("/git-receive-pack");
}

function startGitProgram(base: string, request: IncomingMessage) {
  const { pathname, search } = new URL(request.url!, "http://host");
  return spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: join(base, "host"),
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      REMOTE_USER: "git",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
}
