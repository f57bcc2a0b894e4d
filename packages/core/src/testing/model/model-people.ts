import type { Principal } from "../../principal.ts";

/** A delegation. From `from` to `until`, `delegate` votes with the groups of `person`. */
export interface ModelDelegation {
  readonly id: string;
  readonly person: string;
  readonly delegate: string;
  readonly from: number;
  readonly until: number;
}

/** The model's principals: their groups, first sign-ins and delegations. */
export class ModelPeople {
  /** People who have never signed in, by tenant and id. */
  readonly #absent = new Set<string>();
  readonly #disabled = new Set<string>();
  readonly #principals: Principal[] = [];
  readonly #delegations: (ModelDelegation & { readonly tenant: string; revoked: boolean })[] = [];

  add(principal: Principal): void {
    if (!this.find(principal.tenant, principal.id)) this.#principals.push(principal);
  }

  /** Adds a person who counts only after signing in. */
  invite(person: Principal): void {
    if (this.find(person.tenant, person.id)) return;
    this.add(person);
    this.#absent.add(toPrincipalName(person));
  }

  signIn(tenant: string, id: string): void {
    this.#absent.delete(toPrincipalName({ tenant, id }));
  }

  disable(tenant: string, id: string): void {
    this.#disabled.add(toPrincipalName({ tenant, id }));
  }

  find(tenant: string, id: string): Principal | undefined {
    return this.#principals.find((known) => known.tenant === tenant && known.id === id);
  }

  setGroups(tenant: string, id: string, groups: readonly string[]): void {
    const index = this.#principals.findIndex((known) => known.tenant === tenant && known.id === id);
    const { groups: _, ...known } = this.#principals[index]!;
    this.#principals[index] = groups.length > 0 ? { ...known, groups: [...groups].sort() } : known;
  }

  hasOtherPerson(tenant: string, except: readonly string[]): boolean {
    return this.#principals.some(
      (principal) =>
        principal.tenant === tenant &&
        principal.kind === "person" &&
        !except.includes(principal.id) &&
        !this.#absent.has(toPrincipalName(principal)) &&
        !this.#disabled.has(toPrincipalName(principal)),
    );
  }

  delegate(tenant: string, delegation: ModelDelegation): void {
    if (!this.#delegations.some((known) => known.tenant === tenant && known.id === delegation.id))
      this.#delegations.push({ ...delegation, tenant, revoked: false });
  }

  revokeDelegation(tenant: string, id: string): void {
    for (const known of this.#delegations)
      if (known.tenant === tenant && known.id === id) known.revoked = true;
  }

  listDelegationsTo(
    tenant: string,
    delegate: string,
    now: number,
  ): { person: string; groups: readonly string[] }[] {
    const inForce = this.#delegations.filter(
      (known) =>
        known.tenant === tenant &&
        known.delegate === delegate &&
        !known.revoked &&
        known.from <= now &&
        known.until > now,
    );
    const absent = [...new Set(inForce.map(({ person }) => person))].sort();
    return absent.map((person) => ({ person, groups: this.find(tenant, person)?.groups ?? [] }));
  }
}

const toPrincipalName = ({ tenant, id }: Pick<Principal, "tenant" | "id">) => JSON.stringify([tenant, id]);
