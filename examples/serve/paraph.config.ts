// The configuration of the Paraph server that calls the service. It has the service's address and public key, and signs
// with its own key.

import { remote } from "@paraph/adapters/remote";
import { defineConfig } from "@paraph/server";

const { BILLING_URL = "http://127.0.0.1:7400", BILLING_PUBLIC_KEY = "" } = process.env;

export default defineConfig({
  policy: "balanced",
  adapters: {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
    billing: remote({ url: BILLING_URL, service: BILLING_PUBLIC_KEY, key: "${PARAPH_KEY}" }),
  },
});
