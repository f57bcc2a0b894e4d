import { expect, it } from "vitest";
import { parseServerSentEvents } from "./server-sent-events.ts";

async function read(pieces: Iterable<string>) {
  const said = [];
  for await (const event of parseServerSentEvents(pieces)) said.push(event);
  return said;
}

const stream = 'event: a\r\nid: 1\r\ndata: {"n":\r\ndata: 1}\r\n\r\n: here\r\n\r\ndata: 2\r\n\r\n';

it("reads events with either line ending and with any chunk boundary", async () => {
  const whole = [
    { id: "1", event: "a", data: { n: 1 } },
    { event: "message", data: 2 },
  ];
  for (const end of ["\r\n", "\n"]) {
    const text = stream.replaceAll("\r\n", end);
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(await read([text.slice(0, cut), text.slice(cut)]), `cut at ${cut}`).toEqual(whole);
  }
  expect(await read([stream.slice(0, -2)])).toEqual(whole.slice(0, 1));
});

it("[TRUST 29] gives up on an event without an end", async () => {
  const endless = function* () {
    yield "data: ";
    for (let piece = 0; piece < 80; piece += 1) yield "x".repeat(1024 * 1024);
  };
  await expect(read(endless())).rejects.toThrow();
});
