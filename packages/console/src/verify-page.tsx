// The page that verifies receipts without a server: one HTML file with this script and its styles inside.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Verifier } from "./receipts/verifier.tsx";
import "./verify-page.css";

/** Whether the page was opened from a server, which then has keys to download. */
const hasServer = location.protocol !== "file:";

function VerifyPage() {
  return (
    <main className="mx-auto max-w-240 px-4 py-6 md:py-10">
      <h1 className="text-2xl font-semibold">Verify a Paraph receipt</h1>
      <p className="mt-2 mb-5 text-muted">
        A receipt is the signed account of one call of an AI agent. This page verifies it in your browser. The
        page can't open any connection, so your files stay here.
      </p>
      <Verifier>
        {hasServer && (
          <p className="mt-2 text-sm">
            <a href="/v1/keys" download="keys.json" className="link">
              Download the keys of this server
            </a>{" "}
            or{" "}
            <a href="/verify" download="paraph-verify.html" className="link">
              save this page
            </a>{" "}
            to use it offline.
          </p>
        )}
      </Verifier>
    </main>
  );
}

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <VerifyPage />
    </StrictMode>,
  );
