import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type AdmissionQueue, createAdmissionQueue, type Turn } from "./admission-queue.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const createQueue = (limits: Partial<Parameters<typeof createAdmissionQueue>[0]> = {}) =>
  createAdmissionQueue({
    maxPerPrincipal: 16,
    maxWaitingPerPrincipal: 100,
    maxWaitingPerTenant: 100,
    toError: (owner) => new Error(`full: ${owner}`),
    now: Date.now,
    ...limits,
  });

/** Requests admissions and records those that have started, in order. */
function createRequester(queue: AdmissionQueue) {
  const started: string[] = [];
  const turns: Turn[] = [];
  const request = (tenant: string, id = "agent", times = 1) => {
    for (let n = 0; n < times; n += 1)
      void queue.enter({ tenant, id }).then((turn) => {
        started.push(`${tenant}/${id}`);
        turns.push(turn);
      });
    return vi.advanceTimersByTimeAsync(0);
  };
  return { request, started, turns };
}

it("[TRUST 25] a tenant that is alone has as many turns as its principals may have", async () => {
  const { request, started, turns } = createRequester(createQueue());
  await request("acme", "agent", 20);
  expect(started).toHaveLength(16);
  turns[0]!.endAdmission();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toHaveLength(17);
});

it("[TRUST 25] while another tenant is active, a tenant gets its next turn only after its last one", async () => {
  const { request, started, turns } = createRequester(createQueue());
  await request("quiet");
  await request("noisy", "agent", 10);
  expect(started).toEqual(["quiet/agent", "noisy/agent"]);
  // The end of the admission does not end the turn while the work that followed it runs.
  turns[1]!.endAdmission();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toHaveLength(2);
  turns[1]!.endWork();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toHaveLength(3);
  // The other tenant does not wait for the burst.
  turns[0]!.endWork();
  await request("quiet");
  expect(started.slice(3)).toEqual(["quiet/agent"]);
});

it("[TRUST 25] a turn that waits for a slow adapter holds up the next one for 50 ms, and a tenant without others not at all", async () => {
  const { request, started } = createRequester(createQueue());
  await request("quiet");
  await request("noisy", "agent", 30);
  expect(started).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(49);
  expect(started).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toHaveLength(3);
  // One second after the other tenant's last request, the tenant is alone.
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started.filter((name) => name === "noisy/agent")).toHaveLength(16);
});

it("[TRUST 25] the principals of a tenant take turns", async () => {
  const { request, started, turns } = createRequester(createQueue());
  await request("other");
  await request("acme", "many", 5);
  await request("acme", "few", 2);
  for (let n = 1; n < 6; n += 1) {
    turns[n]!.endAdmission();
    turns[n]!.endWork();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(started.slice(1)).toEqual(["many", "many", "few", "many", "few", "many"].map((id) => `acme/${id}`));
});

it("[TRUST 25] full queues of a principal and of a tenant are refused, and other tenants are not", async () => {
  const queue = createQueue({ maxPerPrincipal: 1, maxWaitingPerPrincipal: 2, maxWaitingPerTenant: 3 });
  const { request, started } = createRequester(queue);
  await request("acme", "a", 3);
  await expect(queue.enter({ tenant: "acme", id: "a" })).rejects.toThrow("full: principal");
  await request("acme", "b", 2);
  await expect(queue.enter({ tenant: "acme", id: "b" })).rejects.toThrow("full: tenant");
  await request("globex", "a");
  expect(started).toEqual(["acme/a", "acme/b", "globex/a"]);
});

it("[TRUST 25] a principal that returns while its earlier work still runs loses none of its waiting admissions", async () => {
  const { request, started, turns } = createRequester(createQueue({ maxPerPrincipal: 1 }));
  await request("acme");
  turns[0]!.endAdmission();
  await request("acme", "agent", 3);
  turns[0]!.endWork();
  for (let n = 1; n < 4; n += 1) {
    expect(started).toHaveLength(n + 1);
    turns[n]!.endAdmission();
    turns[n]!.endWork();
    await vi.advanceTimersByTimeAsync(0);
  }
});

it("[TRUST 25] every admission starts, in whatever order turns begin and end", async () => {
  const tenants = fc.constantFrom("acme", "globex");
  const agents = fc.constantFrom("a", "b");
  const steps = fc.oneof(
    fc.record({ kind: fc.constant("enter" as const), tenant: tenants, id: agents }),
    fc.record({ kind: fc.constantFrom("admission" as const, "work" as const), of: fc.nat(1) }),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(10, 1_100) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 60 }), async (script) => {
      const { request, started, turns } = createRequester(createQueue({ maxPerPrincipal: 1 }));
      const admitting = new Set<number>();
      const working = new Set<number>();
      let [entered, seen] = [0, 0];
      const end = (open: Set<number>, turn: number | undefined, kind: "endAdmission" | "endWork") => {
        if (turn === undefined || !open.delete(turn)) return;
        turns[turn]![kind]();
      };
      const settle = async () => {
        await vi.advanceTimersByTimeAsync(0);
        for (; seen < turns.length; seen += 1) {
          admitting.add(seen);
          working.add(seen);
        }
      };
      for (const step of script) {
        if (step.kind === "enter") {
          entered += 1;
          await request(step.tenant, step.id);
        } else if (step.kind === "wait") await vi.advanceTimersByTimeAsync(step.ms);
        else if (step.kind === "admission") end(admitting, [...admitting][step.of], "endAdmission");
        else end(working, [...working].filter((turn) => !admitting.has(turn))[step.of], "endWork");
        await settle();
      }
      while (admitting.size > 0 || working.size > 0) {
        for (const turn of [...admitting]) end(admitting, turn, "endAdmission");
        for (const turn of [...working]) end(working, turn, "endWork");
        await settle();
      }
      expect(started).toHaveLength(entered);
    }),
    { seed: 25, numRuns: 300 },
  );
});
