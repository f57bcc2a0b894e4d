import { type Dispatcher, request } from "undici";
import type { DecisionCluster } from "./cluster.ts";

/** A call that waits for an approval. */
export interface WaitingCall {
  readonly call: string;
  readonly approval: string;
  readonly digest: string;
}

export interface ApprovalRequest {
  readonly agent: string;
  readonly capability: string;
}

let count = 0;

/** Requests the calls through the API, with limited concurrency. */
export async function requestApprovals(
  cluster: DecisionCluster,
  questions: readonly ApprovalRequest[],
): Promise<WaitingCall[]> {
  const asked: WaitingCall[] = [];
  const left = questions.entries();
  const one = async () => {
    for (const [index, question] of left) asked[index] = await requestApproval(cluster, question);
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return asked;
}

async function requestApproval(
  { apiUrl, findKey: keyOf }: DecisionCluster,
  { agent, capability }: ApprovalRequest,
): Promise<WaitingCall> {
  const { statusCode, body } = await request(`${apiUrl}/v1/calls`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keyOf(agent)}`,
      "content-type": "application/json",
      prefer: "wait=0",
    },
    body: JSON.stringify({ capability, input: { name: `a name that nobody else has, ${count++}` } }),
  });
  const view = (await body.json()) as {
    call: string;
    waiting?: { approval?: { id: string; digest: string } };
  };
  const approval = view.waiting?.approval;
  if (statusCode !== 202 || !approval)
    throw new Error(`not asked: HTTP ${statusCode}: ${JSON.stringify(view)}`);
  return { call: view.call, approval: approval.id, digest: approval.digest };
}

/** The API's response to a person's decision: its status, its error code and its timing. */
export interface DecisionTiming {
  readonly status: number;
  readonly code: string | undefined;
  /** The time at which the decision was sent, by the machine's clock, and the milliseconds until the response. */
  readonly at: number;
  readonly ms: number;
}

export async function sendDecision(
  { apiUrl, findKey: keyOf }: DecisionCluster,
  { approval, digest }: WaitingCall,
  { person, decision }: { readonly person: string; readonly decision: "approve" | "deny" },
  dispatcher?: Dispatcher,
): Promise<DecisionTiming> {
  const at = Date.now();
  const started = performance.now();
  const { statusCode, body } = await request(`${apiUrl}/v1/approvals/${approval}/decision`, {
    method: "POST",
    headers: { authorization: `Bearer ${keyOf(person)}`, "content-type": "application/json" },
    body: JSON.stringify({ decision, digest }),
    // Lets the client send the decision on a connection whose previous response is still pending.
    idempotent: true,
    ...(dispatcher && { dispatcher }),
  });
  const { code } = (await body.json()) as { code?: string };
  return { status: statusCode, code, at, ms: performance.now() - started };
}
