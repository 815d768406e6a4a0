import { useState, type ReactNode } from "react";
import { setSingleKeys, singleKeysOn } from "~/kit/single-keys.ts";
import { chooseTheme, THEMES, useTheme, type Theme } from "~/app/theme.ts";
import { Checkbox } from "~/kit/field.tsx";
import { Section } from "~/kit/page.tsx";

const THEME_TEXTS: Record<Theme, string> = { system: "As the device", light: "Light", dark: "Dark" };

/** The theme and the keyboard shortcuts of this browser. */
export function PreferencesSection(): ReactNode {
  const theme = useTheme();
  const [keys, setKeys] = useState(singleKeysOn);
  return (
    <Section title="This browser" about="saved only in this browser">
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
        <legend className="mb-1 font-medium">Theme</legend>
        {THEMES.map((each) => (
          <label key={each} className="flex min-h-6 items-center gap-2">
            <input
              type="radio"
              name="theme"
              className="size-4 accent-sea"
              checked={each === theme}
              onChange={() => chooseTheme(each)}
            />
            {THEME_TEXTS[each]}
          </label>
        ))}
      </fieldset>
      <Checkbox
        label="Keyboard shortcuts with a single key"
        why={
          <>
            For example <kbd>/</kbd>, <kbd>g</kbd> <kbd>e</kbd> and <kbd>?</kbd>, which lists them all. Turn them off if
            speech input or another tool sends single letters. Shortcuts with ⌘ or Ctrl stay on.
          </>
        }
        checked={keys}
        onChange={(event) => {
          setSingleKeys(event.target.checked);
          setKeys(event.target.checked);
        }}
      />
    </Section>
  );
}
