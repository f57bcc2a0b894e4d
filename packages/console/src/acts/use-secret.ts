import { useEffect, useState } from "react";

/** Creates a secret once, and keeps it only in this component. */
export function useSecret<T>(create: () => Promise<T>): T | undefined {
  const [secret, setSecret] = useState<T>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another secret would have another hash
  useEffect(() => {
    let isCurrent = true;
    void create().then((made) => isCurrent && setSecret(made));
    return () => {
      isCurrent = false;
    };
  }, []);
  return secret;
}
