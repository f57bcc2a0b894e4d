import type { Config } from "../config/config.ts";
import type { DeploymentSigner } from "../system/signer.ts";
import type { Log } from "../telemetry/index.ts";
import { openVaultSigner } from "../vault/index.ts";
import { requireWorkingSigner } from "./signer-health.ts";

/**
 * Opens the signer that the configuration names, and tries it once. Returns undefined if the configuration names none,
 * so that the key is in a file.
 */
export async function openConfiguredSigner(
  { signer, vault }: Pick<Config, "signer" | "vault">,
  context: { readonly folder: string; readonly environment: NodeJS.ProcessEnv; readonly log: Log },
): Promise<DeploymentSigner | undefined> {
  const opened =
    (await signer?.()) ??
    (vault?.signing &&
      (await openVaultSigner(
        { ...vault, signing: vault.signing },
        { ...context, onProblem: (cause) => context.log("warn", "vault-renewal-failed", { cause }) },
      )));
  if (opened) await requireWorkingSigner(opened);
  return opened;
}
