import { memo, type ReactNode } from "react";
import { buttonClass } from "~/kit/button.tsx";
import { cn } from "~/kit/cn.ts";
import { countText } from "~/kit/figures.ts";
import { Menu, MenuItem } from "~/kit/menu.tsx";
import { LevelName } from "./level.tsx";
import { LEVELS } from "./levels.ts";
import { fieldTerm, hasTerm, withoutTerm, withTerm } from "./search-language.ts";
import type { Facets as FacetFigures } from "./use-figures.ts";

const SERVICES_SHOWN = 6;

interface FacetsProps {
  facets: FacetFigures | null;
  search: string;
  onSearch: (search: string) => void;
}

/** Levels and services with their counts. A click adds one to the search; a second click removes it. */
export const FacetBar = memo(function FacetBar({ facets, search, onSearch }: FacetsProps): ReactNode {
  if (facets === null) return <div className="h-6" />;
  const names = [...LEVELS.map(({ id }) => id), "other"].filter((name) => facets.levels.has(name));
  const services = facets.services.filter(([name]) => name !== null);
  const toggle = (term: string): void =>
    onSearch(hasTerm(search, term) ? withoutTerm(search, term) : withTerm(search, term));
  const facet = (field: string, value: string): { isOn: boolean; onPress: () => void } => {
    const term = fieldTerm(field, value);
    return { isOn: hasTerm(search, term), onPress: () => toggle(term) };
  };
  return (
    <div className="flex shrink-0 flex-wrap gap-x-5 gap-y-1 text-ink-2">
      {names.length > 0 && (
        <Group title="Level">
          {names.map((name) => (
            <Chip key={name} count={facets.levels.get(name) ?? 0} {...facet("level", name)}>
              <LevelName name={name} />
            </Chip>
          ))}
        </Group>
      )}
      {services.length > 0 && (
        <Group title="Service">
          {services.slice(0, SERVICES_SHOWN).map(([name, count]) => (
            <Chip key={name} count={count} {...facet("service", name ?? "")}>
              {name}
            </Chip>
          ))}
          {services.length > SERVICES_SHOWN && (
            <Menu
              trigger={
                <button type="button" className={buttonClass("quiet", "h-6! px-1.5!")}>
                  More ▾
                </button>
              }
            >
              {services.slice(SERVICES_SHOWN).map(([name, count]) => (
                <MenuItem key={name} onSelect={facet("service", name ?? "").onPress}>
                  {name} <span className="mono ml-auto text-ink-3">{countText(count)}</span>
                </MenuItem>
              ))}
            </Menu>
          )}
        </Group>
      )}
    </div>
  );
});

function Group({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <div role="group" aria-label={title} className="flex min-w-0 flex-wrap items-center gap-1">
      <span className="mr-1 text-s text-ink-3">{title}</span>
      {children}
    </div>
  );
}

function Chip({
  isOn,
  count,
  onPress,
  children,
}: {
  isOn: boolean;
  count: number;
  onPress: () => void;
  children: ReactNode;
}): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onPress}
      className={cn(
        "flex h-6 max-w-56 items-center gap-1.5 rounded border px-1.5 hover:bg-well",
        isOn ? "border-sea bg-sea-2 text-ink" : "border-transparent",
      )}
    >
      <span className="min-w-0 truncate">{children}</span>
      <span className="mono text-ink-3">{countText(count)}</span>
    </button>
  );
}
