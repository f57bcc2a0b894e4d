import type { Call } from "../../call.ts";
import type { EventKind, NewEvent } from "../../event.ts";
import type { JsonObject } from "../../json.ts";
import type { Limit } from "../../limit.ts";
import type { Principal } from "../../principal.ts";
import { digest } from "../../receipts/digest.ts";
import type {
  CommitResult,
  FencedTransition,
  Gate,
  LockResult,
  NewApproval,
  NewCall,
  NewReceipt,
  OpenResult,
  Store,
  Transition,
} from "../../store.ts";
import { createRawEvent } from "../raw-event.ts";
import type { StoreHarness } from "./harness.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
const salt = "00112233445566778899aabbccddeeff";

/** Short methods for the actions that the suite repeats, such as opening, committing and locking a call. */
export class StoreFixture {
  readonly harness: StoreHarness;
  readonly store: Store;
  readonly tenant: string;
  #count = 0;

  constructor(harness: StoreHarness) {
    this.harness = harness;
    this.store = harness.store;
    this.tenant = harness.tenant;
  }

  createAgent(id = "agent"): Principal {
    return { tenant: this.tenant, id, kind: "agent", owner: "owner" };
  }

  async createCall(newCall: Partial<NewCall> = {}): Promise<NewCall> {
    this.#count += 1;
    const call = `call_${this.tenant}_${this.#count}`;
    const now = await this.harness.now();
    return {
      tenant: this.tenant,
      call,
      principal: this.createAgent(),
      key: call,
      capability: "bench.act",
      version: 1,
      contractDigest: digest("contract"),
      requestDigest: digest({ call }),
      session: { session: "session-1", thread: "thread-1" },
      trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      lockKeys: [],
      requirements: [],
      createdAt: now,
      state: "ready",
      nextAt: now + minute,
      events: [await this.createEvent("accepted", { capability: "bench.act" })],
      payloads: [{ name: "input", salt, value: { call } }],
      ...newCall,
    };
  }

  /** Opens a call and returns it as the store has it. */
  async open(newCall: Partial<NewCall> = {}): Promise<Call> {
    const opening = await this.createCall(newCall);
    await this.store.open(opening);
    return this.load(opening.call);
  }

  /** Opens a call with a gate and returns the store's result. */
  async openGated(
    gate: Partial<Gate>,
    newCall: Partial<NewCall> = {},
    store = this.store,
  ): Promise<OpenResult> {
    return store.open(await this.createCall({ ...newCall, gate: this.createGate(gate) }));
  }

  createGate(given: Partial<Gate> = {}): Gate {
    return { adapter: "bench", limits: [], ...given };
  }

  createLimit(given: Partial<Limit> = {}): Limit {
    return {
      id: "a-limit",
      kind: "calls",
      key: "tenant",
      windowMs: hour,
      max: 2,
      amount: 1,
      ...given,
    };
  }

  /** Returns a transition that writes an intent and passes a gate. */
  async createIntent(gate: Partial<Gate>, attempt = 1): Promise<Partial<Transition>> {
    const at = await this.harness.now();
    return {
      state: "performing",
      intent: { attempt, at, deadline: at + minute },
      gate: this.createGate(gate),
    };
  }

  async load(call: string): Promise<Call> {
    const found = await this.store.load({ tenant: this.tenant, call });
    if (!found) throw new Error(`the store has lost ${call}`);
    return found;
  }

  /** Returns a transition at the epoch of the given call, as the segment that read this call would make it. */
  async createTransition(call: Call, move: Partial<Transition> = {}): Promise<FencedTransition> {
    const now = await this.harness.now();
    return {
      tenant: call.tenant,
      call: call.call,
      epoch: call.epoch,
      state: "ready",
      nextAt: now + minute,
      events: [],
      ...move,
    };
  }

  async commit(call: Call, move: Partial<Transition> = {}, store = this.store): Promise<CommitResult> {
    return store.commit(await this.createTransition(call, move));
  }

  /** Commits a transition like `commit`, but at the current epoch of the call. */
  async commitCurrent(
    call: string,
    move: Partial<Transition> = {},
    store = this.store,
  ): Promise<CommitResult> {
    return this.commit(await this.load(call), move, store);
  }

  async close(call: string): Promise<CommitResult> {
    return this.commitCurrent(call, await this.createClosing());
  }

  async createClosing(): Promise<Partial<Transition>> {
    return {
      state: "closed",
      nextAt: undefined,
      outcome: { kind: "failed", code: "bench" },
      events: [await this.createEvent("closed", { outcome: "failed" })],
      receipt: this.createReceipt(),
      unlock: true,
    };
  }

  async lock(call: string): Promise<LockResult> {
    const { tenant, epoch } = await this.load(call);
    const at = await this.harness.now();
    return this.store.lock({
      tenant,
      call,
      epoch,
      heldNextAt: at + 5 * minute,
      queuedNextAt: at + 10 * minute,
    });
  }

  async createEvent(kind: EventKind, data: JsonObject = {}): Promise<NewEvent> {
    return createRawEvent(kind, await this.harness.now(), data);
  }

  async createRound(number = 1, livesMs = 10 * minute): Promise<NewApproval> {
    this.#count += 1;
    const id = `ask_${this.tenant}_${this.#count}`;
    return {
      id,
      round: number,
      digest: digest({ round: number }),
      guards: [{ id: "guard", ruling: "ask", quorum: 2, urgency: "high", sentence: "It matters." }],
      expiresAt: (await this.harness.now()) + livesMs,
    };
  }

  async createVote(by: string, decision: "approve" | "deny" = "approve") {
    return { by, decision, as: "approver", at: await this.harness.now() } as const;
  }

  createReceipt(): NewReceipt {
    this.#count += 1;
    return {
      digest: digest({ receipt: this.#count }),
      story: `{"receipt":${this.#count}}`,
      signature: { keyid: "key", sig: "AA==" },
    };
  }
}
