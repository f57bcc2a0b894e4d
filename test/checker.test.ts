import type { Json } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { judge, type Violation } from "../lab/history/checker.ts";
import type { ClientRecord, History } from "../lab/history/history.ts";
import { effectDigest } from "../lab/process/config.ts";
import { honestHistory } from "./honest-history.ts";

const honest = await honestHistory();

/** A history that somebody tampers with: everything in it may be changed. */
type Changeable<T> = [Json] extends [T]
  ? T
  : T extends object
    ? { -readonly [K in keyof T]: Changeable<T[K]> }
    : T;
type Told = Changeable<History>;

/** After each of these the broken rule is named, and the call that breaks it, which is given by its key. */
function tells(rule: string, what: string, key: string, ...tampers: ((history: Told) => void)[]): void {
  it(`[${rule}] tells that \`${key}\` ${what}`, async () => {
    for (const tamper of tampers) {
      const history = structuredClone(honest) as Told;
      const call = history.ledger.find((each) => each.key === key)?.call ?? key;
      tamper(history);
      const found = await judge(history as History);
      expect(found).toContainEqual<Violation>({ rule, call, what: expect.stringContaining(what) });
    }
  });
}

const named = (history: Told, key: string) => history.ledger.find((call) => call.key === key)!;
const effectOf = (history: Told, key: string) =>
  history.oracle.find(({ call }) => call === named(history, key).call)!;
const answerTo = (history: Told, wanted: string) =>
  history.client.find((record) => record.kind === "answered" && record.key === wanted) as Changeable<
    Extract<ClientRecord, { kind: "answered" }>
  >;
const without = <T>(list: T[], gone: T) => list.filter((each) => each !== gone);

it("the checker finds nothing wrong with an honest history", async () => {
  expect(honest.ledger.map(({ key, outcome }) => [key, outcome?.kind])).toEqual([
    ["read", "succeeded"],
    ["natural", "succeeded"],
    ["first", "succeeded"],
    ["second", "succeeded"],
    ["approved", "succeeded"],
    ["denied", "denied"],
    ["lost", "unknown"],
  ]);
  expect(await judge(honest)).toEqual([]);
});

describe("acknowledgedIsKept", () => {
  tells("acknowledged", "was acknowledged and is not in the ledger", "natural", (history) => {
    history.ledger = without(history.ledger, named(history, "natural"));
  });
  tells("P1", "was acknowledged for another key", "natural", (history) => {
    answerTo(history, "natural").key = "another";
  });
  tells("P1", "shares its key with", "second", (history) => {
    named(history, "second").key = "first";
    answerTo(history, "second").key = "first";
  });
  tells("P2", "was told failed, the ledger says succeeded", "read", (history) => {
    answerTo(history, "read").outcome = "failed";
  });
});

describe("endsOnce", () => {
  tells("P2", "never ended: performing", "natural", (history) => {
    named(history, "natural").state = "performing";
  });
  tells("P2", "ended 2 times", "natural", (history) => {
    const { events } = named(history, "natural");
    events.push({ ...events.at(-1)!, seq: events.length + 1 });
  });
  tells("P2", "has 2 receipts", "natural", (history) => {
    const { receipts } = named(history, "natural");
    receipts.push(receipts[0]!);
  });
  tells("P2", "has 0 receipts", "natural", (history) => {
    named(history, "natural").receipts = [];
  });
});

describe("eventsAreWhole", () => {
  tells("ledger", "event 2 is missing", "natural", (history) => {
    named(history, "natural").events.splice(1, 1);
  });
  tells("ledger", "has more answers than questions", "denied", (history) => {
    for (const event of named(history, "denied").events) if (event.kind === "asked") event.kind = "ruled";
  });
});

describe("storyIsSigned", () => {
  tells(
    "receipt",
    "signs another story than the rows tell",
    "natural",
    (history) => {
      named(history, "natural").events[0]!.at += 1;
    },
    (history) => {
      named(history, "natural").outcome!.kind = "failed";
    },
  );
  tells("receipt", "the signature does not match", "natural", (history) => {
    named(history, "natural").receipts[0]!.payload = named(history, "first").receipts[0]!.payload;
  });
  tells("receipt", "input", "natural", (history) => {
    named(history, "natural").payloads.input!.value = { name: "another" };
  });
});

describe("noEffectWithoutIntent", () => {
  tells("P7", "had an effect and is not in the ledger", "natural", (history) => {
    history.ledger = without(history.ledger, named(history, "natural"));
  });
  tells("P7", "had an effect before any intent", "natural", (history) => {
    effectOf(history, "natural").at -= 60_000;
  });
});

describe("effectsAreSingle", () => {
  tells("P7", "asked for 2 effects with 1 intents", "first", (history) => {
    history.oracle.push({ ...effectOf(history, "first"), verdict: "deduplicated" });
  });
  tells("once", "had 2 effects", "first", (history) => {
    const { events } = named(history, "first");
    events.push({ ...events.find(({ kind }) => kind === "intended")!, seq: events.length + 1 });
    history.oracle.push(effectOf(history, "first"));
  });
});

describe("noEffectWhereNone", () => {
  tells("P4", "is denied and had an effect", "denied", (history) => {
    history.oracle.push({ ...effectOf(history, "approved"), call: named(history, "denied").call });
  });
  tells("P4", "is failed and had an effect", "natural", (history) => {
    named(history, "natural").outcome = { kind: "failed", code: "error" };
  });
});

describe("effectsAreApproved", () => {
  tells("P5", "had an effect that nobody had approved", "approved", (history) => {
    for (const event of named(history, "approved").events)
      if (event.kind === "round-closed") event.data.status = "denied";
  });
  tells("P5", "has an approved round that nobody voted for", "approved", (history) => {
    for (const event of named(history, "approved").events)
      if (event.kind === "voted") event.data.digest = "0".repeat(64);
  });
  tells("P5", "was performed under an older round than its last", "approved", (history) => {
    named(history, "approved").approval!.digest = "0".repeat(64);
  });
  tells("P5", "did something else than was approved", "approved", (history) => {
    effectOf(history, "approved").digest = effectDigest("vault", 0);
  });
});

describe("successIsReal", () => {
  tells(
    "P2",
    "succeeded without an effect",
    "natural",
    (history) => {
      history.oracle = without(history.oracle, effectOf(history, "natural"));
    },
    (history) => {
      effectOf(history, "natural").verdict = "refused";
    },
  );
});

describe("unknownIsHonest", () => {
  tells("unknown", "is unknown although every attempt's end was seen", "natural", (history) => {
    named(history, "natural").outcome = { kind: "unknown", code: "no-key-no-probe" };
  });
  tells("unknown", "is unknown although it is keyed", "lost", (history) => {
    named(history, "lost").capability = "free.keyed";
  });
});

describe("votesAreTimely", () => {
  tells("P15", "counted a vote after its round's end", "approved", (history) => {
    const approval = named(history, "approved").approval!;
    approval.votes[0]!.at = approval.expiresAt + 1_000;
  });
  tells("acknowledged", "lost a decision that was acknowledged", "denied", (history) => {
    const call = named(history, "denied");
    call.events = call.events.filter(({ kind }) => kind !== "voted");
  });
});

describe("locksExclude", () => {
  tells(
    "locks",
    "held a key while",
    "second",
    (history) => {
      named(history, "first").events.at(-1)!.at += 10_000;
    },
    (history) => {
      named(history, "first").outcome = { kind: "unknown", code: "no-key-no-probe" };
    },
  );
});

describe("nothingIsLeft", () => {
  tells("locks", "left a lock behind", "first", (history) => {
    history.leftovers.push({ kind: "lock", key: "door", call: named(history, "first").call });
  });
  tells("locks", "left a waiter behind", "lost", (history) => {
    history.leftovers.push({ kind: "waiter", key: "door", call: named(history, "lost").call });
  });
});

describe("enoughSucceeded", () => {
  tells("run", "only 5 calls succeeded, 6 were needed to prove anything", "-", (history) => {
    history.meta.leastSucceeded = 6;
  });
});
