import { render } from "preact";
import { applyTheme, listen, theme } from "./state/store";
import { App } from "./view/app";

applyTheme(theme.value);
listen();
render(<App />, document.getElementById("app")!);
