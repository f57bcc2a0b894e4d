import type { ExecutionContext, Json, JsonObject, Preview } from "@paraph/core";
import { understandWithGrammar } from "@paraph/core/intents";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasProgram } from "../../../../test/support/optional-programs.ts";
import { TestHttpServer } from "../egress/testing/http-server.ts";
import {
  createCredentialContext,
  openTestAdapter,
  type TestAdapter,
} from "../egress/testing/open-adapter.ts";
import { parseTestInput, readFault } from "../testing.ts";
import { caldav } from "./index.ts";
import {
  createTestConfig,
  listTestEvents,
  meeting,
  resetTestCalendars,
  startTestServer,
  testSecrets,
} from "./testing/fixture.ts";
import { isRadicaleInstalled, putEvent, type Radicale } from "./testing/radicale.ts";

describe.skipIf(!hasProgram(isRadicaleInstalled, "Radicale", "apt-get install radicale"))(
  "calendars on Radicale",
  () => {
    let radicale: Radicale;
    let api: TestAdapter;
    beforeAll(async () => {
      radicale = await startTestServer();
      api = await openTestAdapter(caldav(createTestConfig(radicale)), "/", testSecrets);
    });
    afterAll(async () => {
      await api?.[Symbol.asyncDispose]();
      await radicale?.[Symbol.asyncDispose]();
    });
    beforeEach(() => resetTestCalendars(radicale));

    let calls = 0;
    /** A call as the pipeline makes it, step by step. */
    function createCall(verb: string, raw: Json, adapter = api) {
      const capability = adapter.capability(verb);
      const key = `call-${++calls}`;
      const context = (more: Partial<ExecutionContext>): ExecutionContext => ({
        ...createCredentialContext(async (name) => testSecrets[name as keyof typeof testSecrets]),
        ...{ call: key, key },
        ...more,
      });
      const input = parseTestInput(capability, raw);
      return {
        preview: (): Promise<Preview> => capability.preview!(input, context({})),
        headline: (preview: Preview) => capability.headline!(input, preview),
        apply: async (basis: Json, attempt = 1) =>
          (await capability.apply(input, context({ basis, attempt }))) as JsonObject,
        probe: (basis: Json) => capability.probe!(input, context({ basis, attempt: 2 })),
        undo: (output: Json) => capability.undo!(input, output)!,
      };
    }

    async function perform(verb: string, raw: Json) {
      const call = createCall(verb, raw);
      const preview = await call.preview();
      const output = await call.apply(preview.basis);
      return { ...call, preview, output, headline: call.headline(preview) };
    }

    /** Lists Ana's events as `title start`, by their start. */
    async function listAna(from = "2026-11-01", to = "2026-12-31"): Promise<string[]> {
      const { events } = await api.perform("events", { calendar: "ana", from, to });
      return events.map((each: JsonObject) => `${each.title} ${each.start}`);
    }

    const weekly = { calendar: "ana", event: "weekly.ics" };
    const mondays = ["16", "23", "30"].map((day) => `Weekly 2026-11-${day}T10:00`);

    describe("find", () => {
      const find = async (input: JsonObject) =>
        (await api.perform("find", input)).objects as { label: string; day: string; input: JsonObject }[];
      const day = "2026-11-20";

      it.each<[JsonObject]>([
        [{ words: ["REVIEW"], day }],
        [{ words: ["review", "Jon"], day, with: ["ana"] }],
        [{ words: ["Review with Jon"], day, with: ["Ana Berg", "jon@example.com"] }],
        [{ day, calendar: "ana" }],
      ])("%j is the review", async (input) => {
        expect(await find(input)).toEqual([
          {
            label: "“Review with Jon”, Fri 20 Nov 2026, 14:00 Europe/Berlin, calendar ana",
            day,
            input: { calendar: "ana", event: "review.ics" },
          },
        ]);
      });

      it.each<[JsonObject]>([
        [{ words: ["revie"], day }],
        [{ words: ["review"], day: "2026-11-21" }],
        [{ day, with: ["jo"] }],
        [{ day, with: ["jon@else.example"] }],
        [{ words: ["secret"], day }],
      ])("%j is no event", async (input) => {
        expect(await find(input)).toEqual([]);
      });

      it("takes the words of a request that describe an event", () => {
        const request = {
          words: "Move tomorrow's review with Jon to the afternoon",
          now: Date.UTC(2026, 10, 19, 12),
          timeZone: "Europe/Berlin",
          capabilities: api.names.map((name) => api.capability(name)),
        };
        const input = { words: ["review"], day, with: ["Jon"], timeZone: "Europe/Berlin" };
        expect(understandWithGrammar(request)).toEqual({
          kind: "lookup",
          lookups: [{ step: 1, capability: "api.find", input }],
        });
      });

      it("names the occurrence of a series, and the day in the given zone", async () => {
        const [found] = await find({ words: ["weekly"], day: "2026-11-23", timeZone: "Pacific/Auckland" });
        expect(found).toMatchObject({
          day: "2026-11-23",
          label: expect.stringContaining("22:00 Pacific/Auckland"),
          input: { event: "weekly.ics", occurrence: "2026-11-23T10:00", scope: "this" },
        });
      });
    });

    it("lists occurrences with local time, zone and UTC, and shows no event of a calendar that is only busy", async () => {
      expect(await listAna()).toEqual([
        ...[mondays[0], "Review with Jon 2026-11-20T14:00", mondays[1], "Pitch 2026-11-25T11:00"],
        ...[mondays[2], "Weekly 2026-12-07T10:00"],
      ]);
      const { events } = await api.perform("events", {
        calendar: "ana",
        from: "2026-11-20",
        to: "2026-11-20",
      });
      expect(events).toMatchObject([
        {
          event: "review.ics",
          timeZone: "Europe/Berlin",
          startUtc: "2026-11-20T13:00:00Z",
          answer: "undecided",
          attendees: 2,
        },
      ]);
      expect(
        await readFault(api.perform("events", { calendar: "jon", from: "2026-11-20", to: "2026-11-20" })),
      ).toBe("permanent calendar-not-allowed");
    });

    it("finds the common free times of people in two zones, within the working hours of both", async () => {
      const found = await api.perform("availability", {
        ...{ calendars: ["ana", "jon@example.com"], from: "2026-11-20", to: "2026-11-23", minutes: 30 },
      });
      // New York works from 14:00 to 22:00 in Berlin, and Berlin until 17:00. Ana is busy from 14:00 to 15:00.
      expect(found.free.map(({ start, end }: JsonObject) => `${start} ${end}`)).toEqual([
        "2026-11-20T15:00 2026-11-20T17:00",
        "2026-11-23T14:00 2026-11-23T17:00",
      ]);
      expect(found.busy[1]).toEqual({
        calendar: "jon",
        spans: [
          {
            ...{ start: "2026-11-20T17:00", end: "2026-11-20T18:00" },
            ...{ startUtc: "2026-11-20T16:00:00Z", endUtc: "2026-11-20T17:00:00Z" },
          },
        ],
      });
      expect(JSON.stringify(found)).not.toContain("Secret");
    });

    it("[P5] the preview of a new event shows times, marked people and conflicts, and a new conflict changes its basis", async () => {
      const call = createCall("schedule", {
        ...{ calendar: "ana", title: "  Budget\u0301 ", start: "2026-11-20T14:30", end: "2026-11-20T17:30" },
        attendees: [
          { email: "Jon@EXAMPLE.com" },
          { email: "eve@else.example" },
          { email: "new@example.com" },
        ],
      });
      const preview = await call.preview();
      expect(call.headline(preview)).toBe(
        "Schedule “Budget\u0301” on Fri 20 Nov 2026, 14:30 Europe/Berlin with 3 people",
      );
      expect(preview.changes[0]!.details).toEqual({
        title: "Budget\u0301",
        ...{ start: "2026-11-20T14:30", end: "2026-11-20T17:30", timeZone: "Europe/Berlin" },
        ...{ startUtc: "2026-11-20T13:30:00Z", endUtc: "2026-11-20T16:30:00Z" },
        organizer: "ana@example.com",
        attendees: [
          { email: "Jon@example.com" },
          { email: "eve@else.example", marks: ["outside", "new"] },
          { email: "new@example.com", marks: ["new"] },
        ],
        invitations: "This call sends no invitations. Send them with a mail capability.",
        conflicts: [
          {
            ...{
              calendar: "ana",
              title: "Review with Jon",
              start: "2026-11-20T14:00",
              end: "2026-11-20T15:00",
            },
            startUtc: "2026-11-20T13:00:00Z",
          },
          {
            calendar: "jon",
            start: "2026-11-20T17:00",
            end: "2026-11-20T18:00",
            startUtc: "2026-11-20T16:00:00Z",
          },
        ],
        calendarsChecked: ["ana", "jon"],
        notChecked: ["eve@else.example", "new@example.com"],
      });
      await putEvent(radicale, "jon", "late.ics", meeting({ uid: "late", start: "20261120T160000" }));
      const before = await listTestEvents(radicale);
      expect(await readFault(call.apply(preview.basis))).toBe("permanent basis-changed");
      expect(await listTestEvents(radicale)).toBe(before);
    });

    it("[P7] a call creates one event, whatever is repeated, and the server sends nothing for it", async () => {
      const { apply, probe, output, preview, undo } = await perform("schedule", {
        ...{
          calendar: "ana",
          title: "Planning",
          start: "2026-11-26T09:00",
          attendees: [{ email: "jon@example.com", name: "Jon, Ash; x" }],
        },
        ...{ repeat: { every: "week", on: ["th", "fr"], count: 3 }, description: "one\r\ntwo" },
      });
      expect(await apply(preview.basis, 2)).toEqual(output);
      expect(await probe(preview.basis)).toEqual({ kind: "present", output });
      expect((await listAna("2026-11-26")).filter((each) => each.startsWith("Planning"))).toEqual([
        ...["Planning 2026-11-26T09:00", "Planning 2026-11-27T09:00", "Planning 2026-12-03T09:00"],
      ]);
      const { text } = await radicale.send("GET", `ana/${output.event}`);
      const flat = text.replaceAll(/\r?\n[ \t]/g, "");
      expect(flat).toMatch(/^ATTENDEE;.*SCHEDULE-AGENT=CLIENT.*:mailto:jon@example.com\r?$/m);
      expect(flat).toMatch(/^DESCRIPTION:one\\ntwo\r?$/m);
      expect(flat).toMatch(/^BEGIN:VTIMEZONE\r?\n(?:.*\r?\n)*?TZID:Europe\/Berlin/m);
      const { capability, input } = undo(output);
      await perform(capability.slice("api.".length), input);
      expect((await listAna("2026-11-26")).filter((each) => each.startsWith("Planning"))).toEqual([]);
    });

    it("[TRUST 30] refuses times that clocks skip, offsets, unknown zones and hidden lines", async () => {
      const schedule = { calendar: "ana", title: "x", start: "2026-03-29T02:30" };
      expect(await readFault(createCall("schedule", schedule).preview())).toBe("permanent time-invalid");
      const invalid: Json[] = [
        { ...schedule, start: "2026-11-20T15:00Z" },
        { ...schedule, start: "2026-02-30T15:00" },
        { ...schedule, start: "2026-11-20T15:00", timeZone: "+01:00" },
        { ...schedule, start: "2026-11-20T15:00", title: "a\r\nATTENDEE:mailto:eve@else.example" },
        { ...schedule, start: "2026-11-20T15:00", location: "a\u0000b" },
        { ...schedule, start: "2026-11-20T15:00", attendees: [{ email: "a@b.c\r\nX:y" }] },
        {
          ...schedule,
          start: "2026-11-20T15:00",
          attendees: [{ email: "a@b.c", name: 'x":mailto:eve@else.example' }],
        },
        { calendar: "ana", event: "../jon/secret.ics", start: "2026-11-20T15:00" },
      ];
      const verbs = invalid.map((each) => ("title" in (each as object) ? "schedule" : "move"));
      expect(invalid.map((each, n) => api.capability(verbs[n]!).parseInput(each).kind)).toEqual(
        invalid.map(() => "invalid"),
      );
    });

    it("moves an event, shows the field before and after, and restores it with the answers", async () => {
      const start = await listTestEvents(radicale);
      const input = {
        calendar: "ana",
        event: "review.ics",
        start: "2026-11-20T11:00",
        timeZone: "America/New_York",
      };
      const { preview, headline, output, undo } = await perform("move", input);
      expect(headline).toBe("Move “Review with Jon” to Fri 20 Nov 2026, 17:00 Europe/Berlin");
      expect(preview.changes[0]).toMatchObject({
        kind: "update",
        details: {
          before: { start: "2026-11-20T14:00", startUtc: "2026-11-20T13:00:00Z" },
          after: { start: "2026-11-20T17:00", end: "2026-11-20T18:00", startUtc: "2026-11-20T16:00:00Z" },
          conflicts: [{ calendar: "jon", start: "2026-11-20T17:00" }],
        },
      });
      const { people } = await api.perform("event", { calendar: "ana", event: "review.ics" });
      expect(people[0]).toEqual({ email: "jon@example.com", answer: "undecided" });
      const back = undo(output);
      await perform(back.capability.slice("api.".length), back.input);
      expect(await listTestEvents(radicale)).toBe(start);
    });

    it("[P5] no change of another program is lost: not by a move, and not by its undo", async () => {
      const call = createCall("move", { calendar: "ana", event: "review.ics", start: "2026-11-20T16:00" });
      const { basis } = await call.preview();
      await putEvent(radicale, "ana", "review.ics", meeting({ title: "Renamed" }));
      expect(await readFault(call.apply(basis))).toBe("permanent basis-changed");
      const { output, undo } = await perform("move", {
        calendar: "ana",
        event: "review.ics",
        start: "2026-11-20T16:00",
      });
      await putEvent(radicale, "ana", "review.ics", meeting({ title: "Renamed again" }));
      expect(await readFault(createCall("restore", undo(output).input).preview())).toBe(
        "permanent event-changed",
      );
      expect(await listAna("2026-11-20", "2026-11-20")).toEqual(["Renamed again 2026-11-20T14:00"]);
    });

    it.each([
      [
        "this",
        "2026-11-24T11:00",
        [mondays[0], "Weekly 2026-11-24T11:00", mondays[2], "Weekly 2026-12-07T10:00"],
      ],
      [
        "following",
        "2026-11-24T11:00",
        [mondays[0], "Weekly 2026-11-24T11:00", "Weekly 2026-12-01T11:00", "Weekly 2026-12-08T11:00"],
      ],
      [
        "all",
        "2026-11-24T11:00",
        [
          "Weekly 2026-11-17T11:00",
          "Weekly 2026-11-24T11:00",
          "Weekly 2026-12-01T11:00",
          "Weekly 2026-12-08T11:00",
        ],
      ],
    ])("moves %s of a series, and its undo restores all of it", async (scope, to, expected) => {
      const start = await listTestEvents(radicale);
      const input = { ...weekly, occurrence: "2026-11-23T10:00", scope, start: to };
      const { output, undo } = await perform("move", input);
      expect((await listAna()).filter((each) => each.startsWith("Weekly"))).toEqual(expected);
      const back = undo(output);
      await perform(back.capability.slice("api.".length), back.input);
      expect(await listTestEvents(radicale)).toBe(start);
    });

    it.each([
      ["this", [mondays[0], mondays[2], "Weekly 2026-12-07T10:00"]],
      ["following", [mondays[0]]],
      ["all", []],
    ])("cancels %s of a series, and its undo restores all of it", async (scope, expected) => {
      const start = await listTestEvents(radicale);
      const { output, undo, preview, headline } = await perform("cancel", {
        ...{ ...weekly, occurrence: "2026-11-23T10:00", scope },
      });
      expect(headline).toContain("Cancel “Weekly” on Mon 23 Nov 2026, 10:00 Europe/Berlin");
      expect(preview.changes[0]!.kind).toBe(scope === "all" ? "delete" : "update");
      expect((await listAna()).filter((each) => each.startsWith("Weekly"))).toEqual(expected);
      const back = undo(output);
      await perform(back.capability.slice("api.".length), back.input);
      expect(await listTestEvents(radicale)).toBe(start);
    });

    it("the preview of a moved series compares every occurrence", async () => {
      const input = { ...weekly, occurrence: "2026-11-16T10:00", scope: "all", start: "2026-11-18T11:00" };
      const { changes } = await createCall("move", input).preview();
      expect(changes[0]!.details).toMatchObject({
        conflicts: [{ calendar: "ana", title: "Pitch", start: "2026-11-25T11:00" }],
        attendees: [{ email: "jon@example.com", answer: "accepted" }],
      });
    });

    type Interfere = (method: string, path: string) => Promise<number | undefined>;

    /**
     * Opens the adapter behind a proxy. `interfere` runs before each write, and can return the status of a refusal. The
     * answers to writes end with `more`.
     */
    async function openBehindProxy(interfere: Interfere, more = "") {
      const proxy = await new TestHttpServer().open();
      proxy.respond = async ({ method, path, headers, body }, response) => {
        const isWrite = method === "PUT" || method === "DELETE";
        const refusal = isWrite ? await interfere(method, path) : undefined;
        if (refusal !== undefined) return void response.writeHead(refusal).end();
        const { authorization: _, host: __, connection: ___, "transfer-encoding": ____, ...kept } = headers;
        const answered = await radicale.send(
          method,
          path.replace("/paraph/", ""),
          body === "" ? undefined : body,
          kept as Record<string, string>,
        );
        response.writeHead(answered.status, answered.etag === undefined ? {} : { etag: answered.etag });
        response.end(isWrite ? `${answered.text}${more}` : answered.text);
      };
      const config = createTestConfig({ host: proxy.host, url: (name) => `${proxy.origin}/paraph/${name}/` });
      const adapter = await openTestAdapter(caldav(config), "/", testSecrets);
      return {
        ...adapter,
        async [Symbol.asyncDispose]() {
          await adapter[Symbol.asyncDispose]();
          await proxy.close();
        },
      };
    }

    it("[P5] a change between the last read and the write is not lost", async () => {
      let interfere = async () => {};
      await using other = await openBehindProxy(async () => {
        await interfere();
        return undefined;
      });
      const change = () => putEvent(radicale, "ana", "review.ics", meeting({ title: "Renamed" }));
      const event = { calendar: "ana", event: "review.ics" };
      for (const [verb, input] of [
        ["move", { ...event, start: "2026-11-20T16:00" }],
        ["cancel", event],
      ] as const) {
        await resetTestCalendars(radicale);
        interfere = change;
        expect(await readFault(other.perform(verb, input))).toBe("permanent basis-changed");
        expect(await listAna("2026-11-20", "2026-11-20")).toEqual(["Renamed 2026-11-20T14:00"]);
      }
      // Without interference, the same calls succeed through the proxy.
      interfere = async () => {};
      await other.perform("cancel", event);
      expect(await listAna("2026-11-20", "2026-11-20")).toEqual([]);
    });

    it("[P7] a write with an answer of 5 MB has happened, so it does not fail", async () => {
      await using other = await openBehindProxy(async () => undefined, "x".repeat(5 * 1024 * 1024));
      const event = { calendar: "ana", event: "review.ics" };
      const move = other.perform("move", { ...event, start: "2026-11-20T16:00" });
      expect(await readFault(move)).toBe("no fault");
      expect(await listAna("2026-11-20", "2026-11-20")).toEqual(["Review with Jon 2026-11-20T16:00"]);
      expect(await readFault(other.perform("cancel", event))).toBe("no fault");
      expect(await listAna("2026-11-20", "2026-11-20")).toEqual([]);
    });

    it.each<[string, readonly string[], string, boolean]>([
      ["refuses the change of the old series", ["PUT"], "permanent http-403", false],
      ["refuses that and the deletion of the new series", ["PUT", "DELETE"], "ambiguous http-403", true],
    ])(
      "[P7] a split leaves no second series, or says so, if the server %s",
      async (_, refused, fault, isLeft) => {
        const start = await listTestEvents(radicale);
        await using other = await openBehindProxy(async (method, path) => {
          const isRefused = refused.includes(method) && (method === "DELETE" || path.endsWith("/weekly.ics"));
          return isRefused ? 403 : undefined;
        });
        const at = { occurrence: "2026-11-23T10:00", scope: "following", start: "2026-11-23T12:00" };
        expect(await readFault(other.perform("move", { ...weekly, ...at }))).toBe(fault);
        expect((await listTestEvents(radicale)) !== start).toBe(isLeft);
      },
    );

    it("[P7] an undo that restored the series and could not delete the other one is not *failed*", async () => {
      const start = await listTestEvents(radicale);
      const at = { occurrence: "2026-11-23T10:00", scope: "following", start: "2026-11-23T12:00" };
      const { output, undo } = await perform("move", { ...weekly, ...at });
      let interfere: Interfere = async (method) => (method === "DELETE" ? 403 : undefined);
      await using other = await openBehindProxy((...request) => interfere(...request));
      const call = createCall("restore", undo(output).input, other);
      const { basis } = await call.preview();
      expect(await readFault(call.apply(basis))).toBe("ambiguous http-403");
      expect(await call.probe(basis)).toEqual({ kind: "absent" });
      // A person changes the other series just before Paraph deletes it.
      const { text } = await radicale.send("GET", `ana/${output.created}`);
      interfere = async () => {
        const changed = text.replaceAll("SUMMARY:Weekly", "SUMMARY:Renamed");
        await radicale.send("PUT", `ana/${output.created}`, changed, { "content-type": "text/calendar" });
        return undefined;
      };
      expect(await readFault(call.apply(basis, 2))).toBe("ambiguous event-changed");
      expect(await call.probe(basis)).toEqual({ kind: "unsure" });
      expect((await listAna()).some((each) => each.startsWith("Renamed"))).toBe(true);
      interfere = async () => undefined;
      await radicale.send("PUT", `ana/${output.created}`, text, { "content-type": "text/calendar" });
      await radicale.send("DELETE", `ana/${output.created}`);
      expect(await call.probe(basis)).toMatchObject({ kind: "present" });
      expect(await listTestEvents(radicale)).toBe(start);
    });

    it("changed occurrences and exceptions stay with their part of the series", async () => {
      const at = (occurrence: string) => ({ ...weekly, occurrence, scope: "this" });
      await perform("move", { ...at("2026-11-30T10:00"), start: "2026-11-30T18:00" });
      await perform("cancel", at("2026-12-07T10:00"));
      await perform("move", {
        ...weekly,
        occurrence: "2026-11-23T10:00",
        scope: "following",
        start: "2026-11-23T12:00",
      });
      expect((await listAna()).filter((each) => each.startsWith("Weekly"))).toEqual([
        ...[mondays[0], "Weekly 2026-11-23T12:00", "Weekly 2026-11-30T18:00"],
      ]);
    });

    it("[P7] a split that a crash interrupted is completed, and happens once", async () => {
      const call = createCall("move", {
        ...weekly,
        occurrence: "2026-11-23T10:00",
        scope: "following",
        start: "2026-11-23T12:00",
      });
      const { basis } = await call.preview();
      const whole = await call.apply(basis);
      const after = await listTestEvents(radicale);
      // As after a crash between the two steps: the new series is there, and the old one is still whole.
      const { text } = await radicale.send("GET", `ana/${whole.created}`);
      await resetTestCalendars(radicale);
      await radicale.send("PUT", `ana/${whole.created}`, text, { "content-type": "text/calendar" });
      const again = (await call.preview()).basis;
      expect(await call.probe(again)).toEqual({ kind: "absent" });
      await call.apply(again, 2);
      expect(await listTestEvents(radicale)).toBe(after);
      expect(await call.probe(again)).toMatchObject({ kind: "present" });
    });

    it("answers an invitation for the calendar's person only, and undoes the answer", async () => {
      const start = await listTestEvents(radicale);
      const input = { calendar: "ana", event: "invitation.ics", answer: "tentative" };
      const { headline, output, undo } = await perform("answer", input);
      expect(headline).toBe("Tentatively accept “Pitch” on Wed 25 Nov 2026, 11:00 Europe/Berlin");
      const { people } = await api.perform("event", { calendar: "ana", event: "invitation.ics" });
      expect(people.map(({ answer }: JsonObject) => answer)).toEqual(["accepted", "tentative"]);
      const back = undo(output);
      await perform(back.capability.slice("api.".length), back.input);
      expect(await listTestEvents(radicale)).toBe(start);
      expect(await readFault(createCall("answer", { ...input, event: "review.ics" }).preview())).toBe(
        "permanent not-invited",
      );
      const move = { calendar: "ana", event: "invitation.ics", start: "2026-11-20T16:00" };
      expect(await readFault(createCall("move", move).preview())).toBe("permanent not-organizer");
      expect(await readFault(createCall("cancel", { ...weekly }).preview())).toBe("permanent scope-missing");
    });

    it("[TRUST 29] lists an event that it does not understand as unreadable, and goes on", async () => {
      await putEvent(radicale, "ana", "bomb.ics", meeting({ uid: "bomb", rule: "FREQ=HOURLY;COUNT=100000" }));
      await putEvent(radicale, "ana", "zone.ics", [
        "BEGIN:VEVENT",
        "UID:zone",
        "DTSTAMP:20261101T000000Z",
        "DTSTART;TZID=Nowhere:20261120T100000",
        "SUMMARY:x",
        "END:VEVENT",
      ]);
      const { unreadable, events } = await api.perform("events", {
        calendar: "ana",
        from: "2026-11-20",
        to: "2026-11-21",
      });
      expect([unreadable, events.length]).toEqual([["bomb.ics", "zone.ics"], 1]);
      expect(await readFault(api.perform("event", { calendar: "ana", event: "zone.ics" }))).toBe(
        "permanent event-unreadable",
      );
    });

    it("[O1] observes created, changed and deleted events, the same for the same cursor", async () => {
      const adapter = caldav(createTestConfig(radicale));
      const credential = async (name: string) => testSecrets[name as keyof typeof testSecrets];
      const signal = new AbortController().signal;
      const open = await adapter.open({
        name: "api",
        folder: "/",
        signal,
        credential,
        announceChange: () => {},
      });
      const observe = (cursor?: string) => open.observe!(cursor, { tenant: "acme", signal, credential });
      const first = await observe();
      expect(first.observations).toEqual([]);
      await putEvent(radicale, "ana", "new.ics", meeting({ uid: "new", title: "New" }));
      await perform("move", { calendar: "ana", event: "review.ics", start: "2026-11-20T16:00" });
      await radicale.send("DELETE", "ana/weekly.ics");
      await putEvent(radicale, "jon", "hidden.ics", meeting({ uid: "hidden" }));
      const page = await observe(first.cursor);
      expect(page.observations.map(({ kind, subject, data }) => `${kind} ${subject} ${data.start}`)).toEqual([
        "event.created ana/new.ics 2026-11-20T14:00",
        "event.changed ana/review.ics 2026-11-20T16:00",
        "event.deleted ana/weekly.ics undefined",
      ]);
      expect(await observe(first.cursor)).toEqual(page);
      expect((await observe(page.cursor)).observations).toEqual([]);
      await open.close!();
    });
  },
);

it("[TRUST 17] the configuration names no private address and no unencrypted one without `allow`", async () => {
  const config = createTestConfig({ host: "127.0.0.1:1", url: () => "http://127.0.0.1:1/paraph/ana/" });
  expect(
    caldav({ ...config, allow: [] })
      .faults?.map(({ message }) => message)
      .join(),
  ).toContain("https://");
  const url = "https://127.0.0.1:1/paraph/ana/";
  const secured = caldav({ ...config, allow: [], calendars: { ana: { url, access: "read" } } });
  await using api = await openTestAdapter(secured, "/", testSecrets);
  const input = { calendar: "ana", from: "2026-11-20", to: "2026-11-20" };
  expect(await readFault(api.perform("events", input))).toBe("permanent address-not-allowed");
});
