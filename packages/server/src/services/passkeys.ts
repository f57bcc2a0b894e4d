import {
  type Decision,
  findPasskeyFault,
  findPasskeySubject,
  isPasskeySealed,
  type PasskeyAlgorithm,
  type PasskeyProof,
  type Ports,
  type Principal,
  passkeyAlgorithms,
  passkeyChallenge,
  passkeyError,
} from "@paraph/core";
import {
  type PostedAssertion,
  type PostedRegistration,
  verifyAssertion,
  verifyRegistration,
} from "../passkeys/ceremonies.ts";
import { parsePublicKey } from "../passkeys/public-key.ts";
import { toRelyingParty } from "../passkeys/relying-party.ts";
import type { PasskeyStore, StoredPasskey } from "../postgres/index.ts";

/** People's passkeys, and the approvals that they prove. */
export interface PasskeyService {
  /** Lists the passkeys of one person, or of all people of the reader's tenant. */
  list(reader: Principal, person?: string): Promise<readonly StoredPasskey[]>;
  /** Returns the challenge that the voter's passkey must sign, and the credentials that can sign it. */
  createChallenge(decision: Decision): Promise<PasskeyChallenge>;
  /**
   * [TRUST 27] Verifies that a passkey of the voter signed exactly this decision. Returns the proof for the vote. Throws
   * `passkey-invalid` otherwise.
   */
  proveApproval(decision: Decision, assertion: PostedAssertion): Promise<PasskeyProof>;
  /**
   * Returns the options with which the person's browser creates a passkey for this challenge. Undefined if Paraph is
   * reached at an IP address.
   */
  createEnrolment(person: Principal, challenge: string): Promise<PasskeyEnrolment | undefined>;
  /** Verifies a registration. Returns the credential and its public key, or undefined if the registration is not valid. */
  verifyRegistration(
    registration: PostedRegistration,
    challenge: string,
  ): Promise<{ readonly credential: string; readonly publicKey: string } | undefined>;
}

/** The options with which a browser requests an assertion. */
export interface PasskeyChallenge {
  readonly challenge: string;
  readonly rpId: string;
  /** The ids of the person's passkeys. */
  readonly credentials: readonly string[];
}

/** The options with which a browser creates a passkey. */
export interface PasskeyEnrolment extends PasskeyChallenge {
  /** The only origin from which Paraph accepts the passkey. */
  readonly origin: string;
  readonly person: string;
  readonly algorithms: readonly PasskeyAlgorithm[];
}

/** The dependencies of `createPasskeyService`. */
export interface PasskeyServiceDeps {
  readonly store: PasskeyStore;
  readonly ports: Ports;
  /** Returns the address at which people reach Paraph. */
  readonly url: () => string;
}

/** Creates the service that verifies passkeys. */
export function createPasskeyService({ store, ports, url }: PasskeyServiceDeps): PasskeyService {
  const findSite = () => toRelyingParty(url());
  const requireSite = () => {
    const site = findSite();
    if (site) return site;
    throw passkeyError("Paraph is reached at an IP address, for which browsers offer no passkeys");
  };
  const isSealed = (tenant: string, passkey: StoredPasskey) =>
    isPasskeySealed(tenant, passkey, passkey.seal, ports.sealer);
  return {
    list: ({ tenant }, person) => store.list(tenant, person),
    async createChallenge(decision) {
      const { rpId } = requireSite();
      const { tenant, id } = decision.voter;
      const challenge = passkeyChallenge(await findPasskeySubject(decision, ports));
      const passkeys = (await store.list(tenant, id)).filter((one) => isSealed(tenant, one));
      if (passkeys.length === 0)
        throw passkeyError("you have no enrolled passkey. Enrol one on the page `/passkeys`");
      return { challenge, rpId, credentials: passkeys.map(({ credential }) => credential) };
    },
    async proveApproval(decision, assertion) {
      const site = requireSite();
      const { tenant, id } = decision.voter;
      const passkey = await store.find(tenant, assertion.id);
      const key = passkey && (await parsePublicKey(passkey.publicKey));
      if (!passkey || !key || passkey.person !== id || !isSealed(tenant, passkey))
        throw passkeyError("the passkey is not enrolled for you");
      const subject = await findPasskeySubject(decision, ports);
      const proof: PasskeyProof = {
        kind: "passkey",
        credential: passkey.credential,
        ...key,
        rpId: site.rpId,
        clientData: assertion.clientDataJSON,
        authenticatorData: assertion.authenticatorData,
        signature: assertion.signature,
      };
      const fault = await findPasskeyFault(proof, subject);
      if (fault !== undefined) throw passkeyError(fault);
      const counter = await verifyAssertion(assertion, passkeyChallenge(subject), site, passkey);
      if (counter === undefined)
        throw passkeyError("the assertion is not from this site, or repeats a signature counter");
      if (!(await store.recordUse(tenant, passkey.credential, counter)))
        throw passkeyError("the passkey was removed or used elsewhere at the same time");
      return proof;
    },
    async createEnrolment({ tenant, id }, challenge) {
      const site = findSite();
      const credentials = (await store.list(tenant, id)).map(({ credential }) => credential);
      return site && { challenge, ...site, person: id, credentials, algorithms: passkeyAlgorithms };
    },
    async verifyRegistration(registration, challenge) {
      const site = findSite();
      const found = site && (await verifyRegistration(registration, challenge, site));
      return found && (await parsePublicKey(found.publicKey)) ? found : undefined;
    },
  };
}
