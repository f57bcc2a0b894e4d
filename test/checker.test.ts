import type { Json } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { judgeHistory, type Violation } from "../lab/history/checker.ts";
import type { ClientRecord, LabHistory } from "../lab/history/history.ts";
import { effectDigest } from "../lab/process/config.ts";
import { createHonestHistory } from "./support/honest-history.ts";

const honest = await createHonestHistory();

/** A history whose members are all mutable, so that a test can tamper with them. */
type Changeable<T> = [Json] extends [T]
  ? T
  : T extends object
    ? { -readonly [K in keyof T]: Changeable<T[K]> }
    : T;
type Told = Changeable<LabHistory>;

/** Checks that the checker names the broken rule and the call after each tampering. `key` identifies the call. */
function tells(rule: string, what: string, key: string, ...tampers: ((history: Told) => void)[]): void {
  it(`[${rule}] tells that \`${key}\` ${what}`, async () => {
    for (const tamper of tampers) {
      const history = structuredClone(honest) as Told;
      const call = history.ledger.find((each) => each.key === key)?.call ?? key;
      tamper(history);
      const found = await judgeHistory(history as LabHistory);
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
const heirOf = (history: Told, key: string) =>
  history.ledger.find(({ supersedes }) => supersedes === named(history, key).call)!;
const without = <T>(list: T[], gone: T) => list.filter((each) => each !== gone);

it("the checker finds nothing wrong with an honest history", async () => {
  const single = honest.ledger.filter(({ capability, parent }) => capability !== "plan.apply" && !parent);
  expect(single.map(({ key, outcome }) => [key, outcome?.kind])).toEqual([
    ["read", "succeeded"],
    ["natural", "succeeded"],
    ["first", "succeeded"],
    ["second", "succeeded"],
    ["approved", "succeeded"],
    ["denied", "denied"],
    ["lost", "unknown"],
    ["edited", "superseded"],
    [expect.stringMatching(/^call/), "succeeded"],
    ["withdrawn", "cancelled"],
    ["found-out", "unknown"],
  ]);
  const plans = honest.ledger.filter(({ capability }) => capability === "plan.apply");
  expect(plans.map(({ outcome }) => `${outcome?.kind} ${outcome?.code}`)).toEqual([
    ...["succeeded done", "failed compensated", "succeeded done"],
  ]);
  expect(honest.ledger.flatMap(({ parent }) => parent?.step ?? [])).toEqual([
    ...["one", "three", "first", "second", "third", "$compensation", "undo-1-second", "undo-2-first"],
  ]);
  expect(await judgeHistory(honest)).toEqual([]);
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

it("[locks] accepts that a call gives its key back while it waits for another approval", async () => {
  const history = structuredClone(honest) as Told;
  const call = named(history, "first");
  call.events.at(-1)!.at += 10_000;
  const locked = call.events.findIndex(({ kind }) => kind === "locked");
  call.events.splice(locked + 1, 0, { ...call.events[locked]!, kind: "asked" });
  const found = await judgeHistory(history as LabHistory);
  expect(found.filter(({ rule }) => rule === "locks")).toEqual([]);
});

describe("nothingIsLeft", () => {
  tells("locks", "left a lock behind", "first", (history) => {
    history.leftovers.push({ kind: "lock", key: "door", call: named(history, "first").call });
  });
  tells("locks", "left a waiter behind", "lost", (history) => {
    history.leftovers.push({ kind: "waiter", key: "door", call: named(history, "lost").call });
  });
});

describe("successionIsOne", () => {
  tells("P4", "is superseded and had an effect", "edited", (history) => {
    history.oracle.push({ ...effectOf(history, "approved"), call: named(history, "edited").call });
  });
  tells("P6", "is superseded and has 0 successors", "edited", (history) => {
    history.ledger = without(history.ledger, heirOf(history, "edited"));
  });
  tells("P6", "is superseded and has 2 successors", "edited", (history) => {
    named(history, "natural").supersedes = named(history, "edited").call;
  });
  tells("P6", "is denied and has 1 successors", "denied", (history) => {
    heirOf(history, "edited").supersedes = named(history, "denied").call;
  });
  tells("P6", "names another successor than it has", "edited", (history) => {
    named(history, "edited").events.at(-1)!.data.successor = named(history, "natural").call;
  });
  it("[P6] [P5] reports a successor with a longer deadline, another request, no votes or too few votes", async () => {
    const told = async (tamper: (heir: Told["ledger"][number]) => void) => {
      const history = structuredClone(honest) as Told;
      const heir = heirOf(history, "edited");
      tamper(heir);
      const found = await judgeHistory(history as LabHistory);
      return found.filter(({ call }) => call === heir.call).map(({ what }) => what);
    };
    expect(
      await told((heir) => {
        heir.approval!.expiresAt += 1;
      }),
    ).toContain("asks people for longer than its deadline");
    expect(
      await told((heir) => {
        heir.requestDigest = "0".repeat(64);
      }),
    ).toContain("took the place of somebody else's request");
    expect(
      await told((heir) => {
        heir.events = heir.events.filter(({ kind }) => kind !== "voted");
      }),
    ).toContain("has an approved round that nobody voted for");
    expect(
      await told((heir) => {
        heir.approval!.guards = heir.approval!.guards.map((guard) => ({ ...guard, quorum: 2 }));
      }),
    ).toContain("was approved by fewer people than were asked for");
  });
});

describe("findingsHold", () => {
  const found = (history: Told) => named(history, "found-out");
  tells("P7", "was found out about, although it is succeeded", "natural", (history) => {
    named(history, "natural").findings = found(history).findings!;
  });
  tells("P7", "has 2 findings and 1 events of them", "found-out", (history) => {
    found(history).findings!.push(found(history).findings![0]!);
  });
  tells("P7", "has 0 findings and 1 events of them", "found-out", (history) => {
    found(history).findings = [];
  });
  tells("P7", "has a finding that nobody signed", "found-out", (history) => {
    found(history).findings![0]!.signatures[0]!.sig = named(history, "natural").receipts[0]!
      .signatures[0]!.sig;
  });
  tells("P7", "has a finding that tells something else than its event", "found-out", (history) => {
    found(history).events.at(-1)!.data.finding = "not-happened";
  });
  tells("locks", "left a lock behind", "found-out", (history) => {
    history.leftovers.push({ kind: "lock", key: "roof", call: found(history).call });
  });
});

describe("deedsAreKept", () => {
  tells("acknowledged", "lost a deed that was acknowledged: withdraw", "withdrawn", (history) => {
    named(history, "withdrawn").outcome = { kind: "denied", code: "denied" };
  });
  tells("acknowledged", "lost a deed that was acknowledged: resolve", "found-out", (history) => {
    named(history, "found-out").resolution!.finding = "not-happened";
  });
  tells("acknowledged", "lost a deed that was acknowledged: say", "approved", (history) => {
    const deed = { kind: "say", call: named(history, "approved").call, as: "question", key: "k" } as const;
    history.client.push({ kind: "did", at: 0, deed, status: 200, message: "message_1" });
  });
});

describe("messagesAreOnRecord", () => {
  tells(
    "thread",
    "was asked about when something was said of which there is no event",
    "approved",
    (history) => {
      const { call, events } = named(history, "approved");
      const at = events.find(({ kind }) => kind === "asked")!.at;
      history.messages!.push({ id: "message_1", call, at });
    },
  );
  tells("thread", "has something on record that nobody said", "approved", (history) => {
    const { events } = named(history, "approved");
    events.push({ seq: events.length + 1, kind: "commented", at: 0, data: { message: "message_1" } });
  });
});

describe("hooksAreTold", () => {
  const hookOf = (history: Told) =>
    history.hooks!.find(({ id }) => id === `${named(history, "natural").call}_1`)!;
  tells("webhooks", "event 1 (accepted) was never told", "natural", (history) => {
    hookOf(history).verdict = "refused";
  });
  tells("webhooks", "event 1 (accepted) was told as another", "natural", (history) => {
    hookOf(history).type = "dev.paraph.call.denied.v1";
  });
  tells("webhooks", "event 1 (accepted) was told in two ways", "natural", (history) => {
    history.hooks!.push({ ...hookOf(history), digest: "another" });
  });
  tells("webhooks", "was told and never happened", "call_none_1", (history) => {
    history.hooks!.push({ ...hookOf(history), id: "call_none_1" });
  });
});

const stepOf = (history: Told, key: string, step: string) => {
  const { call } = named(history, key);
  return history.ledger.find(({ parent }) => parent?.call === call && parent.step === step)!;
};
const honestStep = (key: string, step: string) => stepOf(honest as Told, key, step).key;
const event = (call: Told["ledger"][number], kind: string) =>
  call.events.find((candidate) => candidate.kind === kind)!;

describe("stepsAreTakenOnce", () => {
  tells("P13", "took a step twice", "parted", (history) => {
    stepOf(history, "parted", "three").parent!.step = "one";
  });
  tells("P13", "took a step that was declined", "parted", (history) => {
    stepOf(history, "parted", "three").parent!.step = "two";
  });
  tells("P13", "has steps although it never began", "parted", (history) => {
    const plan = named(history, "parted");
    plan.events = without(plan.events, event(plan, "began"));
  });
  tells("P13", "ended before its steps had", "parted", (history) => {
    event(stepOf(history, "parted", "three"), "closed").at += 60_000;
  });
});

describe("plansTellTheirSteps", () => {
  tells("P13", "succeeded although a step did not", "parted", (history) => {
    stepOf(history, "parted", "three").outcome = { kind: "failed", code: "error" };
  });
  tells("P13", "left out step three", "parted", (history) => {
    history.ledger = without(history.ledger, stepOf(history, "parted", "three"));
  });
  tells("P13", "is unknown although each step is known", "parted", (history) => {
    named(history, "parted").outcome = { kind: "unknown", code: "step-unknown" };
  });
  tells("P13", "was another when it was run again", "broken", (history) => {
    named(history, "broken").outcome!.code = "not-deterministic";
  });
  tells("P13", "names other receipts than its steps have", "parted", (history) => {
    const other = named(history, "natural").receipts[0]!;
    stepOf(history, "parted", "three").receipts[0]!.signatures = other.signatures;
  });
});

describe("wayBackIsReverse", () => {
  tells("P13", "failed and did not undo what was done", "broken", (history) => {
    stepOf(history, "broken", "$compensation").parent!.call = "call_none";
  });
  tells(
    "P13",
    "undid first before second, which came after it",
    honestStep("broken", "$compensation"),
    (history) => {
      history.oracle.reverse();
    },
  );
});

describe("coverHolds", () => {
  const one = honestStep("parted", "one");
  tells("P13", "had an effect that nobody had approved", one, (history) => {
    const step = stepOf(history, "parted", "one");
    step.events = without(step.events, event(step, "approval-inherited"));
  });
  tells("P13", "is not what was shown with the whole", one, (history) => {
    stepOf(history, "parted", "one").payloads.input!.value = { name: "another" };
  });
  tells(
    "P13",
    "was covered by fewer people than were asked for",
    one,
    (history) => {
      const plan = named(history, "parted");
      plan.events = without(plan.events, event(plan, "voted"));
    },
    (history) => {
      event(named(history, "parted"), "voted").at += 60_000;
    },
    (history) => {
      const plan = named(history, "parted");
      plan.approval!.guards = plan.approval!.guards.map((guard) => ({ ...guard, quorum: 2 }));
    },
  );
  tells("P13", "was covered by an older round than the plan's last", one, (history) => {
    named(history, "parted").approval!.digest = "0".repeat(64);
  });
  tells("P13", "did something else than was shown with the whole", one, (history) => {
    effectOf(history, one).digest = effectDigest("another", { version: 0 });
  });
});

describe("observedOnce", () => {
  const heard = (history: Told, key: string) =>
    history.observed!.find(({ subject }) => subject === named(history, key).call)!;
  tells(
    "O2",
    "and was not observed as that",
    "natural",
    (history) => {
      history.observed = without(history.observed!, heard(history, "natural"));
    },
    (history) => {
      heard(history, "natural").subject = "another";
    },
  );
  tells("O1", "was observed and never happened", "call_none", (history) => {
    history.observed!.push({ seq: history.observed!.length + 1, id: "9999", subject: "call_none" });
  });
  tells("O1", "1 were written twice", "observations", (history) => {
    history.observed!.push({ ...heard(history, "natural"), seq: history.observed!.length + 1 });
  });
  tells("O4", "has the number 999, which is out of order", "natural", (history) => {
    heard(history, "natural").seq = 999;
  });
});

describe("enoughSucceeded", () => {
  tells("run", "only 14 calls succeeded, 15 were needed to prove anything", "-", (history) => {
    history.meta.minSucceeded = 15;
  });
});
