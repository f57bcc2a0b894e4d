import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { eventually } from "./eventually.ts";
import { findBlockFault } from "./slack-blocks.ts";
import { TextSocket } from "./text-socket.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
type Json = any;

/** A message as the people of a conversation see it. */
export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  text: string;
  blocks: Json[];
  readonly metadata?: Json;
  updates: number;
}

/** An account of the workspace, or of another one. */
export interface SlackUser {
  readonly id: string;
  readonly team: string;
  readonly name: string;
}

const botToken = "xoxb-test";
const appToken = "xapp-test";
const signingSecret = "signing-test";

/**
 * A Slack on loopback, written from Slack's public documentation: the methods of the Web API that Paraph calls, Socket
 * Mode over a WebSocket, and requests of the Events API with their signature. It rejects blocks that Slack would reject.
 */
export class SlackServer {
  static readonly secrets = {
    "deployment/slack-bot": botToken,
    "deployment/slack-app": appToken,
    "deployment/slack-signing": signingSecret,
  };
  readonly team = "T01ACME";
  readonly messages: SlackMessage[] = [];
  /** Messages that only one account sees. */
  readonly whispers: { channel: string; user: string; text: string; blocks: Json[] }[] = [];
  readonly views: { readonly trigger: string; readonly view: Json }[] = [];
  readonly calls: { readonly method: string; readonly args: Json; readonly at: number }[] = [];
  readonly users = new Map<string, SlackUser>();
  readonly faults: string[] = [];
  /** Answers the next calls of a method in place of the usual answer. */
  readonly answers = new Map<string, { status: number; headers?: Record<string, string>; body?: Json }[]>();
  /** Called after a message was posted and before the answer leaves. */
  onPosted: (message: SlackMessage, response: ServerResponse) => void = () => {};
  readonly #sockets: TextSocket[] = [];
  readonly #acks = new Map<string, (payload: Json) => void>();
  #count = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("upgrade", (request: IncomingMessage, socket: Socket) => this.#connect(request, socket));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.end();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  user(id: string, name: string, team = this.team): SlackUser {
    const user = { id, team, name };
    this.users.set(id, user);
    return user;
  }

  get openSockets(): number {
    return this.#sockets.filter(({ isOpen }) => isOpen).length;
  }

  /** The number of connections so far, open or closed. */
  get connectionCount(): number {
    return this.#sockets.length;
  }

  /** Ends the connections as Slack does when it refreshes them, or without a word. */
  disconnect(how: "refresh" | "cut"): void {
    for (const socket of this.#sockets) {
      if (how === "refresh") socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
      else socket.end();
    }
  }

  /** Sends a payload over Socket Mode, and returns the payload of its acknowledgement. */
  async send(type: "interactive" | "events_api", payload: Json, envelope = randomUUID()): Promise<Json> {
    await eventually(() => {
      if (this.openSockets === 0) throw new Error("no connection of Socket Mode");
    });
    const socket = this.#sockets.findLast(({ isOpen }) => isOpen)!;
    const acknowledged = new Promise((resolve) => this.#acks.set(envelope, resolve));
    socket.send(JSON.stringify({ envelope_id: envelope, type, payload, accepts_response_payload: true }));
    return acknowledged;
  }

  /** Sends a payload as a request of the Events API. */
  async request(
    address: string,
    payload: Json,
    { secret = signingSecret, at = Date.now(), form = "payload" in payload, tamper = false } = {},
  ): Promise<Response> {
    const body = form
      ? new URLSearchParams({ payload: JSON.stringify(payload.payload) }).toString()
      : JSON.stringify(payload);
    const time = String(Math.floor(at / 1_000));
    const mac = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
    return fetch(address, {
      method: "POST",
      headers: {
        "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
        "x-slack-request-timestamp": time,
        "x-slack-signature": `v0=${mac}`,
      },
      body: tamper ? `${body} ` : body,
    });
  }

  /** The payload of a press on a button of a message. */
  press(message: SlackMessage, action: string, user: SlackUser, value?: string): Json {
    const button = listButtons(message).find((one) => one.action_id === action);
    return {
      type: "block_actions",
      user: { id: user.id, team_id: user.team },
      team: { id: this.team },
      trigger_id: `trigger-${++this.#count}`,
      container: { type: "message", channel_id: message.channel, message_ts: message.ts },
      actions: [{ action_id: action, type: "button", value: value ?? button?.value ?? "{}" }],
    };
  }

  /** The payload of a submitted dialog. */
  submit(view: Json, user: SlackUser, reason?: string): Json {
    return {
      type: "view_submission",
      user: { id: user.id, team_id: user.team },
      team: { id: this.team },
      view: {
        ...view,
        id: "V01",
        state: {
          values:
            reason === undefined ? {} : { reason: { text: { type: "plain_text_input", value: reason } } },
        },
      },
    };
  }

  /** The payload of a message that a person writes. */
  comment(user: SlackUser, text: string, about: { channel: string; ts?: string }, ts = this.#time()): Json {
    return {
      type: "event_callback",
      team_id: this.team,
      event_id: `Ev${ts}`,
      event: {
        type: "message",
        user: user.id,
        team: user.team,
        user_team: user.team,
        channel: about.channel,
        ts,
        ...(about.ts !== undefined && { thread_ts: about.ts }),
        text,
      },
    };
  }

  /** Posts messages of other people, in a conversation or in a thread of it. */
  chat(channel: string, thread: string | undefined, count: number): void {
    const place = { channel, ...(thread !== undefined && { thread_ts: thread }) };
    for (let index = 0; index < count; index += 1)
      this.messages.push({ ...place, ts: this.#time(), text: `${index}`, blocks: [], updates: 0 });
  }

  /** Returns the first messages of a conversation once there are this many, without replies in threads. */
  async waitFor(channel: string, count: number): Promise<readonly SlackMessage[]> {
    const list = () => this.messages.filter((one) => one.channel === channel && one.thread_ts === undefined);
    await eventually(() => {
      if (list().length < count) throw new Error(`${list().length} of ${count} messages`);
    });
    return list();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.url!.replace(/^\/api\//, "");
    const args = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    this.calls.push({ method, args, at: Date.now() });
    const planned = this.answers.get(method)?.shift();
    if (planned) {
      response.writeHead(planned.status, planned.headers).end(JSON.stringify(planned.body ?? {}));
      return;
    }
    const token = request.headers.authorization?.replace(/^Bearer /, "");
    const wanted = method === "apps.connections.open" ? appToken : botToken;
    const answer = token === wanted ? this.#perform(method, args, response) : fail("invalid_auth");
    if (response.destroyed) return;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  #perform(method: string, args: Json, response: ServerResponse): Json {
    const fault = findBlockFault(args.blocks ?? args.view?.blocks ?? [], args.view);
    if (fault) {
      this.faults.push(fault);
      return fail("invalid_blocks");
    }
    switch (method) {
      case "auth.test":
        return { ok: true, team_id: this.team, team: "Acme Inc", user_id: "U0BOT" };
      case "apps.connections.open":
        return { ok: true, url: `${this.url.replace("http:", "ws:")}socket?ticket=1` };
      case "users.info": {
        const user = this.users.get(args.user);
        return user ? { ok: true, user: { id: user.id, real_name: user.name } } : fail("user_not_found");
      }
      case "conversations.open":
        return this.users.has(args.users)
          ? { ok: true, channel: { id: toDirect(args.users) } }
          : fail("user_not_found");
      case "conversations.history":
        return this.#page(this.messages.filter(({ thread_ts }) => thread_ts === undefined).reverse(), args);
      case "conversations.replies":
        return this.#page(
          this.messages.filter(({ ts, thread_ts = ts }) => thread_ts === args.ts),
          args,
        );
      case "chat.postMessage": {
        const { channel, text, blocks = [], metadata, thread_ts } = args;
        const message = {
          channel,
          ts: this.#time(),
          text,
          blocks,
          metadata,
          updates: 0,
          ...(thread_ts && { thread_ts }),
        };
        this.messages.push(message);
        this.onPosted(message, response);
        return { ok: true, channel, ts: message.ts };
      }
      case "chat.update": {
        const message = this.messages.find(({ channel, ts }) => channel === args.channel && ts === args.ts);
        if (!message) return fail("message_not_found");
        Object.assign(message, { text: args.text, blocks: args.blocks, updates: message.updates + 1 });
        return { ok: true, channel: args.channel, ts: args.ts };
      }
      case "chat.postEphemeral":
        this.whispers.push(args);
        return { ok: true };
      case "views.open":
        this.views.push({ trigger: args.trigger_id, view: args.view });
        return { ok: true, view: { id: "V01" } };
      default:
        return fail("unknown_method");
    }
  }

  /** Returns a page of the messages of a conversation that are newer than `oldest`. */
  #page(
    messages: readonly SlackMessage[],
    { channel, oldest = "0", limit = 100, cursor = "0", include_all_metadata: isWhole = false }: Json,
  ): Json {
    const all = messages.filter((one) => one.channel === channel && Number(one.ts) > Number(oldest));
    const end = Number(cursor) + limit;
    return {
      ok: true,
      messages: all
        .slice(Number(cursor), end)
        .map(({ metadata, ...one }) => (isWhole ? { ...one, metadata } : one)),
      has_more: end < all.length,
      response_metadata: { next_cursor: end < all.length ? String(end) : "" },
    };
  }

  #time(): string {
    return `${Math.floor(Date.now() / 1_000)}.${String(++this.#count).padStart(6, "0")}`;
  }

  #connect(request: IncomingMessage, socket: Socket): void {
    const key = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${key}\r\n\r\n`,
    );
    const own = new TextSocket(socket, (text) => {
      const { envelope_id: envelope, payload } = JSON.parse(text);
      this.#acks.get(envelope)?.(payload);
    });
    this.#sockets.push(own);
    own.send(JSON.stringify({ type: "hello", num_connections: 1 }));
  }
}

/** Returns the conversation of an account with the app. */
export function toDirect(user: string): string {
  return `D${user.slice(1)}`;
}

export function listButtons({ blocks }: Pick<SlackMessage, "blocks">): Json[] {
  return blocks.filter(({ type }) => type === "actions").flatMap(({ elements }) => elements);
}

function fail(error: string): Json {
  return { ok: false, error };
}
