// The Paraph that asks the service: it knows its address and its public key, and signs with a key of its own.
import { defineConfig, remote } from "@paraph/server";

const { BILLING_URL = "http://127.0.0.1:7400", BILLING_PUBLIC_KEY = "" } = process.env;

export default defineConfig({
  policy: "balanced",
  adapters: {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
    billing: remote({ url: BILLING_URL, service: BILLING_PUBLIC_KEY, key: "${PARAPH_KEY}" }),
  },
});
