import type { Json, JsonObject } from "../../json.ts";
import { canonical } from "../../receipts/digest.ts";
import type { ConformanceSuite } from "./harness.ts";

const salt = "ffeeddccbbaa99887766554433221100";

/**
 * Tests that a store returns every value with the same canonical bytes, because digests and commitments depend on them.
 */
export const valueSuite: ConformanceSuite = (prove, expect) => {
  for (const [name, value] of Object.entries(listAwkwardValues())) {
    prove(`[P5] a payload comes back byte for byte: ${name}`, async (fixture) => {
      const call = await fixture.open({ payloads: [{ name: "input", salt, value }] });
      expect(canonical(call.payloads.input?.value ?? null) === canonical(value)).toBe(true);
      await fixture.commitCurrent(call.call, { payloads: [{ name: "output", salt, value }] });
      const { payloads } = await fixture.load(call.call);
      expect(canonical(payloads.output?.value ?? null) === canonical(value)).toBe(true);
      expect(payloads.output?.salt).toBe(salt);
    });
  }

  prove("the store loads the newest of several payloads with one name", async (fixture) => {
    const call = await fixture.open();
    const preview = (value: Json) => ({ name: "preview", salt, value }) as const;
    await fixture.commitCurrent(call.call, { payloads: [preview({ basis: 1 })] });
    await fixture.commitCurrent(call.call, {
      payloads: [preview({ basis: 2 }), { name: "error", salt, value: "no" }],
    });
    const { payloads } = await fixture.load(call.call);
    expect([payloads.preview?.value, payloads.error?.value]).toEqual([{ basis: 2 }, "no"]);
    expect(payloads.input?.value).toEqual({ call: call.call });
  });

  prove("events keep their order and their data, over many commits", async (fixture) => {
    const call = await fixture.open();
    for (let i = 0; i < 10; i += 1) {
      const events = await Promise.all(
        [0, 1, 2].map((j) => fixture.createEvent("ruled", { i, j, half: i / 2 })),
      );
      await fixture.commitCurrent(call.call, { events });
    }
    const { events } = await fixture.load(call.call);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
    expect(
      events.slice(1).map(({ data }) => {
        const { i, j, half } = data as unknown as JsonObject;
        return [i, j, half];
      }),
    ).toEqual(Array.from({ length: 30 }, (_, n) => [Math.floor(n / 3), n % 3, Math.floor(n / 3) / 2]));
  });

  prove("times keep millisecond precision", async (fixture) => {
    const at = 1_767_225_599_999;
    const event = { ...(await fixture.createEvent("accepted", { at })), at };
    const call = await fixture.open({ createdAt: at, nextAt: at + 1, deadline: at + 2, events: [event] });
    expect([call.createdAt, call.nextAt, call.deadline, call.events[0]]).toEqual([
      at,
      at + 1,
      at + 2,
      { seq: 1, ...event },
    ]);
  });

  prove("ids and keys can contain any text that the naming rules allow", async (fixture) => {
    const principal = fixture.createAgent("agent:Zoë@example.org/ünïcode 🦊");
    await fixture.harness.addPrincipal(principal);
    const key = "key with spaces, 'quotes', \"doubles\", \\ and 🦊";
    const lockKeys = ["file:/a b/ü.txt", "row:'; drop table calls; --"];
    const call = await fixture.open({ key, lockKeys, principal });
    expect(await fixture.store.findByKey(principal, key)).toEqual(call);
    expect((await fixture.lock(call.call)).kind).toBe("held");
  });
};

function listAwkwardValues(): Record<string, Json> {
  return {
    null: null,
    "an empty string": "",
    "a NUL character": { text: "before\u0000after", "key\u0000": 1 },
    "control characters": Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(""),
    "unicode beyond the basic plane": [
      "🦊👩‍👩‍👧‍👦",
      "e\u0301 is not \u00e9",
      "\u202eright to left",
      "\uffff\ufffe",
      "𝔘",
    ],
    "keys that sort by UTF-16": { "\ufb33": 1, "😂": 2, é: 3, "1": 4, "\r": 5, "€": 6, "": 7, __proto_: 8 },
    numbers: [
      0, -0, 1, -1, 0.1, 0.30000000000000004, 1e21, 1e-7, 1.5e300, 5e-324, 1.7976931348623157e308,
      9007199254740991, -9007199254740992, 123456789012345680000, 4.35, 1e23, 333333333.3333333,
    ],
    "a string of a megabyte": `${"x".repeat(1_000_000)}é`,
    "deep nesting": createDeepValue(200),
    "a wide array": Array.from({ length: 5_000 }, (_, index) => ({ index })),
    "text that looks like something else": ["null", "true", "1e5", "{}", '"', "\\", "\\u0000", "$1"],
  };
}

function createDeepValue(levels: number): Json {
  let value: Json = "bottom";
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { level: value };
  return value;
}
