import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useAddresses, type ServiceAddresses } from "~/api/addresses.ts";
import { Copyable } from "~/kit/copy.tsx";
import { Loading, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table } from "~/kit/table.tsx";
import { healthOf, servicesOf, type Readiness, type Service } from "./service-health.ts";

const EVERY_MS = 15_000;

/** Shows the address and the health of each service. */
export function Services(): ReactNode {
  const addresses = useAddresses();
  return (
    <Section title="Service addresses" flush>
      {addresses === undefined ? <Loading /> : <ServiceTable addresses={addresses} />}
    </Section>
  );
}

function ServiceTable({ addresses }: { addresses: ServiceAddresses }): ReactNode {
  const readiness = useReadiness();
  return (
    <Table<Service>
      label="Service addresses"
      items={servicesOf(addresses)}
      keyOf={({ title }) => title}
      columns={[
        { title: "Service", cell: ({ title }) => title },
        { title: "Address", grow: true, cell: ({ address }) => <Copyable text={address} /> },
        { title: "State", cell: (service) => <Health readiness={readiness} service={service} /> },
      ]}
    />
  );
}

function Health({ readiness, service }: { readiness: Readiness | null | undefined; service: Service }): ReactNode {
  const { kind, text } = healthOf(readiness, service);
  return <State kind={kind}>{text}</State>;
}

/** Reads `/readyz`. Null: the server does not answer. */
function useReadiness(): Readiness | null | undefined {
  const { data, error } = useQuery({
    queryKey: ["readiness"],
    queryFn: async ({ signal }) => {
      const response = await fetch("/readyz", { signal });
      return (await response.json()) as Readiness;
    },
    refetchInterval: EVERY_MS,
  });
  return error === null ? data : null;
}
