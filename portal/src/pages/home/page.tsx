import type { ReactNode } from "react";
import { Page as Frame } from "~/kit/page.tsx";

export function Page(): ReactNode {
  return <Frame title="home">Not written yet.</Frame>;
}
