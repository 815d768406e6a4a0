import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { IconButton } from "~/kit/button.tsx";
import { Menu, MenuItem, MenuLabel, MenuLine } from "~/kit/menu.tsx";
import { useSignOut } from "~/people/sign-out.ts";
import { chooseTheme, THEMES, useTheme } from "./theme.ts";

/** The licences of third-party code in the portal (portal/build/notices.ts). */
const NOTICES = "/portal/third-party-notices.txt";

/** The menu of the signed-in person. */
export function PersonMenu({ onShortcuts }: { onShortcuts: () => void }): ReactNode {
  const { user } = useSession();
  const initials = initialsOf(user.name);
  const theme = useTheme();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu
      trigger={
        // The accessible name must contain the visible text (WCAG 2.2, 2.5.3).
        <IconButton label={`${initials}: signed in as ${user.email}`} className="rounded-full border-line-2 bg-well">
          {initials}
        </IconButton>
      }
    >
      <MenuLabel>
        {user.name}, {user.email}
      </MenuLabel>
      <MenuItem onSelect={() => void navigate({ to: "/account" })}>Account and security</MenuItem>
      {user.instance_admin && <MenuItem onSelect={() => void navigate({ to: "/instance" })}>Instance</MenuItem>}
      <MenuItem onSelect={onShortcuts}>
        Keyboard shortcuts <kbd className="ml-auto">?</kbd>
      </MenuItem>
      <MenuItem onSelect={() => window.open(NOTICES, "_blank", "noopener")}>Third-party notices</MenuItem>
      <MenuLine />
      <MenuLabel>Theme</MenuLabel>
      {THEMES.map((each) => (
        <MenuItem key={each} onSelect={() => chooseTheme(each)}>
          <span className="w-3" aria-hidden="true">
            {each === theme ? "✓" : ""}
          </span>
          {each}
          {each === theme && <span className="sr-only">(chosen)</span>}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => void signOut("/sign-in")}>Sign out</MenuItem>
    </Menu>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  return words
    .slice(0, 2)
    .map((word) => Array.from(word)[0] ?? "")
    .join("")
    .toUpperCase();
}
