import { type Envelope, envelopeText } from "@paraph/core";
import type { OwnerSession } from "./owner-session.ts";

/** A call in a verified archive, as far as its deletion must know it. */
export interface FamilyMember {
  readonly call: string;
  readonly family: string;
  readonly epoch: number;
  readonly messages: number;
}

/** Stores the signed manifest, so that `paraph replay --check` knows the calls after their deletion. */
export async function registerArchive(
  { tenant, query }: OwnerSession,
  { name, calls, envelope }: { readonly name: string; readonly calls: number; readonly envelope: Envelope },
): Promise<void> {
  await query(
    "insert into paraph.archive (tenant, name, calls, envelope) values ($1, $2, $3, $4) on conflict do nothing",
    [tenant, name, calls, envelopeText(envelope)],
  );
}

/** The number of calls per transaction. Short transactions let other tenants and `vacuum` proceed. */
const maxBatchCalls = 200;

/** Deletes the rows of archived calls, in batches of whole families. Returns the number of deleted calls. */
export async function deleteArchived(
  { tenant, query }: OwnerSession,
  name: string,
  members: readonly FamilyMember[],
  onBatch: (calls: number) => void,
): Promise<number> {
  let deleted = 0;
  for (const batch of splitByFamily(members)) {
    const [row] = await query<{ calls: number }>("select paraph.delete_archived($1, $2, $3) as calls", [
      tenant,
      name,
      JSON.stringify(batch),
    ]);
    deleted += row!.calls;
    onBatch(row!.calls);
  }
  await query("update paraph.archive set finished_at = paraph.now() where tenant = $1 and name = $2", [
    tenant,
    name,
  ]);
  return deleted;
}

/** Splits the calls into batches. The members of a family follow one another and stay in one batch. */
function* splitByFamily(members: readonly FamilyMember[]): Generator<FamilyMember[]> {
  let batch: FamilyMember[] = [];
  for (const member of members) {
    if (batch.length >= maxBatchCalls && batch.at(-1)!.family !== member.family) {
      yield batch;
      batch = [];
    }
    batch.push(member);
  }
  if (batch.length > 0) yield batch;
}
