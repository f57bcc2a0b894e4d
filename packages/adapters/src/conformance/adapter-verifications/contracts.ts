import { adapterName } from "@paraph/core";
import { requireOpened } from "../process-pool.ts";
import type { SuiteContext } from "../suite-context.ts";
import { fail, pass, skip } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const namesVerification: Verification<SuiteContext> = {
  name: "names",
  claim: "the names of its capabilities begin with its own name and are unique",
  appliesTo: () => true,
  async verify({ test, adapter }) {
    const offered = adapter.offers.map(({ contract }) => contract);
    const foreign = offered.find((contract) => adapterName(contract) !== test.name);
    if (foreign) return fail(`\`${foreign.name}\` should begin with \`${test.name}.\`.`);
    const twice = offered.find(({ name }, index) => offered.findIndex((one) => one.name === name) < index);
    if (twice) return fail(`Two capabilities are called \`${twice.name}\`.`);
    if (offered.length === 0) return fail("It offers no capabilities.");
    return pass(`${offered.length} offered`);
  },
};

export const coverageVerification: Verification<SuiteContext> = {
  name: "covered",
  claim: "each capability has a case",
  appliesTo: () => true,
  async verify({ test, adapter }) {
    const tried = new Set(test.cases.map(({ capability }) => capability));
    const ours = adapter.offers.filter(({ contract }) => !contract.composite && !contract.performer);
    const missing = ours.filter(({ contract }) => !tried.has(contract.name));
    if (missing.length === 0) return pass(`${ours.length} capabilities, ${test.cases.length} cases`);
    return skip(`Add a case for ${missing.map(({ contract }) => `\`${contract.name}\``).join(", ")}.`);
  },
};

/**
 * Verifies that contracts have the same digests in every process. If the digests differed, another process would treat
 * the contract of a waiting call as changed.
 */
export const digestsVerification: Verification<SuiteContext> = {
  name: "digests",
  claim: "it offers the same contracts each time it is opened",
  appliesTo: () => true,
  async verify({ adapter, pool }) {
    const again = await requireOpened(await pool.second());
    const digestsOf = ({ offers }: typeof adapter) =>
      new Map(offers.map(({ contract, digest }) => [contract.name, digest]));
    const [one, two] = [digestsOf(adapter), digestsOf(again)];
    const changed = [...one.keys(), ...two.keys()].find((name) => one.get(name) !== two.get(name));
    return changed === undefined
      ? pass("the digests are the same")
      : fail(`The contract of \`${changed}\` changed when the adapter was opened again.`);
  },
};
