import { createAgent, createEgressPolicy } from "@paraph/adapters/egress";
import { type Agent, request } from "undici";
import type { HandleContext } from "../channel.ts";
import type { SlackOptions } from "./slack.ts";

/** The Web API of Slack, with the tokens of one app. */
export interface SlackClient {
  /** Calls a method with the bot token. Throws a `SlackError` if it fails. */
  call(method: string, args: object, signal?: AbortSignal): Promise<SlackAnswer>;
  /** Opens a connection of Socket Mode with the app-level token, and returns its address. */
  openConnection(appToken: string): Promise<string>;
  /** Returns the workspace of the bot. */
  findTeam(): Promise<SlackTeam>;
  /** The agent through which every connection to Slack goes. */
  readonly agent: Agent;
  readonly allowsPlain: boolean;
  close(): Promise<void>;
}

/** An answer of the Web API. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

/** The workspace of the bot. */
export interface SlackTeam {
  readonly id: string;
  readonly name: string;
}

/** A failed call of the Web API. Its code is one of Slack's error codes, or says that Slack was not reached. */
export class SlackError extends Error {
  readonly code: string;
  readonly waitMs: number | undefined;

  constructor(code: string, waitMs?: number) {
    super(`Slack answered \`${code}\`.`);
    this.code = code;
    this.waitMs = waitMs;
  }
}

const timeoutMs = 15_000;
const maxBytes = 1_000_000;

/**
 * [TRUST 17] Creates the client. Its connections pass the egress policy, and a redirect is an error. After a response with
 * `Retry-After`, it does not call that method again before the time is over.
 */
export function createSlackClient(
  { secret, url = "https://slack.com/api/" }: SlackOptions,
  { credential }: Pick<HandleContext, "credential">,
): SlackClient {
  const { protocol, host } = new URL(url);
  const allowsPlain = protocol === "http:";
  const agent = createAgent(createEgressPolicy(allowsPlain ? [host] : []), { patienceMs: timeoutMs });
  const pausedUntil = new Map<string, number>();
  let team: SlackTeam | undefined;

  const callAs = async (token: string, method: string, args: object, signal?: AbortSignal) => {
    const pause = (pausedUntil.get(method) ?? 0) - performance.now();
    if (pause > 0) throw new SlackError("ratelimited", pause);
    const answer = await post(`${url}${method}`, token, args, agent, signal);
    if (answer instanceof SlackError) {
      if (answer.waitMs !== undefined) pausedUntil.set(method, performance.now() + answer.waitMs);
      throw answer;
    }
    return answer;
  };
  const call: SlackClient["call"] = async (method, args, signal) =>
    callAs(await credential(secret), method, args, signal);
  return {
    call,
    async openConnection(appToken) {
      const { url: address } = await callAs(appToken, "apps.connections.open", {});
      if (typeof address !== "string") throw new SlackError("answer-invalid");
      return address;
    },
    async findTeam() {
      if (team) return team;
      const { team_id: id, team: name } = await call("auth.test", {});
      if (typeof id !== "string") throw new SlackError("answer-invalid");
      team = { id, name: typeof name === "string" ? name : id };
      return team;
    },
    agent,
    allowsPlain,
    close: () => agent.destroy(),
  };
}

async function post(
  url: string,
  token: string,
  args: object,
  dispatcher: Agent,
  signal?: AbortSignal,
): Promise<SlackAnswer | SlackError> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      method: "POST",
      headers: {
        authorization: `Bearer ${token.trim()}`,
        "content-type": "application/json; charset=utf-8",
        "user-agent": "paraph",
      },
      body: JSON.stringify(args),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (statusCode === 429) {
      await body.dump().catch(() => {});
      return new SlackError("ratelimited", readSeconds(headers["retry-after"]) * 1_000);
    }
    if (statusCode !== 200) {
      await body.dump().catch(() => {});
      return new SlackError(`http-${statusCode}`);
    }
    const answer = await readJson(body);
    if (answer?.ok === true) return answer;
    const { error } = answer ?? {};
    return new SlackError(typeof error === "string" && isCode(error) ? error : "answer-invalid");
  } catch (error) {
    const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
    const known = typeof code === "string" && isCode(code) ? code : undefined;
    return new SlackError((known ?? (name === "TimeoutError" ? "timeout" : "not-sent")).toLowerCase());
  }
}

async function readJson(body: AsyncIterable<Buffer>): Promise<SlackAnswer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
  return typeof value === "object" && value !== null ? (value as SlackAnswer) : undefined;
}

function readSeconds(header: string | string[] | undefined): number {
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3_600) : 1;
}

function isCode(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,40}$/.test(text);
}
