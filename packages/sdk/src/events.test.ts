import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createClient } from "./client.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts a server that answers the first request with these pieces, and later ones with 204. */
async function streaming(...pieces: (string | Uint8Array)[]) {
  const left = [pieces];
  const server = createServer(async (_, response) => {
    const own = left.shift();
    if (!own) return response.writeHead(204).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of own) await new Promise((sent) => response.write(piece, sent));
    return response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  stops.push(() => new Promise((closed) => server.close(closed)));
  const { port } = server.address() as AddressInfo;
  return createClient({ url: `http://127.0.0.1:${port}`, key: "key" });
}

async function received(...pieces: (string | Uint8Array)[]) {
  const client = await streaming(...pieces);
  const said: unknown[] = [];
  const progress: unknown[] = [];
  for await (const event of client.events("call_1", { progress: (one) => void progress.push(one) }))
    said.push(event);
  return { said, progress };
}

const bytes = new TextEncoder().encode('id: 1\ndata: {"n":"ü😀"}\n\n');

it.each([
  ["line feeds", ['id: 1\ndata: {"n":1}\n\n', 'id: 2\ndata: {"n":2}\n\n']],
  ["carriage returns and line feeds", ['id: 1\r\ndata: {"n":1}\r\n\r\nid: 2\r\ndata: {"n":2}\r\n\r\n']],
  ["carriage returns", ['id: 1\rdata: {"n":1}\r\rid: 2\rdata: {"n":2}\r\r', ":\n\n"]],
  ["a line end in two pieces", ["id: 1\r", '\ndata: {"n":1}\r', "\n\r", '\nid: 2\r\ndata: {"n":2}\r\n\r\n']],
  ["a byte order mark", ['\ufeffid: 1\ndata: {"n":1}\n\nid: 2\ndata: {"n":2}\n\n']],
  ["no space behind the colon", ['id:1\ndata:{"n":1}\n\nid:2\ndata:{"n":2}\n\n']],
  ["data on several lines", ['id: 1\ndata: {"n":\ndata: 1}\n\nid: 2\ndata: {"n":2}\n\n']],
  [
    "comments and unknown fields",
    [': here\nid: 1\nfoo: bar\ndata: {"n":1}\n\n:\n\nretry: 10\n\nid: 2\ndata: {"n":2}\n\n'],
  ],
])("reads an event stream that a proxy wrote with %s", async (_, pieces) => {
  expect((await received(...pieces)).said).toEqual([{ n: 1 }, { n: 2 }]);
});

it("reads characters that arrive in two pieces", async () => {
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const bodies = [[bytes.slice(0, cut), bytes.slice(cut)]];
    // A socket may join the pieces, so this test uses a stream, which does not.
    const answer = async () => {
      const pieces = bodies.shift();
      return pieces ? new Response(ReadableStream.from(pieces)) : new Response(null, { status: 204 });
    };
    const client = createClient({ url: "http://127.0.0.1:1", key: "key", fetch: answer });
    const said: unknown[] = [];
    for await (const event of client.events("call_1")) said.push(event);
    expect(said, `cut at ${cut}`).toEqual([{ n: "ü😀" }]);
  }
});

it("separates progress from events, and drops a truncated event", async () => {
  const { said, progress } = await received(
    'event: progress\r\ndata: {"done":1}\r\n\r\nid: 1\r\ndata: {"n":1}\r\n\r\nid: 2\r\ndata: {"n"',
  );
  expect([said, progress]).toEqual([[{ n: 1 }], [{ done: 1 }]]);
});
