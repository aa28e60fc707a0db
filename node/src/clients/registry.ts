import type { MissingClient } from "../contract/description.js";
import type { ClientChoice } from "../contract/trial.js";
import { InvalidInput, RunnerError, Unsupported } from "../errors.js";
import type { Library } from "./library.js";

type Loaders = Readonly<Record<string, () => Promise<Library>>>;

/** Every client library that this runner knows, by environment; each is loaded only on request. */
const ENVIRONMENTS: Readonly<Record<string, Loaders>> = {
  default: { "node-redis": async () => (await import("./node-redis.js")).nodeRedis },
  "node-redis-3.1.2": { "node-redis": async () => (await import("./node-redis-3.js")).nodeRedis3 },
};

/** The library that does nothing: shows what the loop costs. */
const NULL = "null";
const loadNull = async () => (await import("./null.js")).nullLibrary;

/** The libraries of an environment. */
export function loadersOf(environment: string): Loaders {
  const loaders = ENVIRONMENTS[environment];
  if (loaders === undefined) {
    throw new RunnerError(`--environment must be one of ${Object.keys(ENVIRONMENTS).join(", ")}, not ${environment}`);
  }
  return loaders;
}

/** Loads the trial's library; refuses a version or an option that it does not have. */
export async function loadLibrary(choice: ClientChoice, loaders: Loaders): Promise<Library> {
  const load = choice.library === NULL ? loadNull : loaders[choice.library];
  if (load === undefined) {
    const known = Object.keys(loaders).join(", ");
    throw new InvalidInput(`trial.client.library must be one of ${known}, not ${choice.library}`);
  }
  const library = await load().catch((error: unknown) => {
    const { library: name, reason, advice } = missing(choice.library, error);
    throw new RunnerError(`${name} cannot be loaded (${reason}): ${advice}`);
  });
  checkVersion(choice, library);
  checkOptions(choice, library);
  return library;
}

/** Tries to load every known library: the libraries that can be loaded, and what is missing for the others. */
export async function surveyLibraries(loaders: Loaders) {
  const clients: Library[] = [];
  const absent: MissingClient[] = [];
  for (const [name, load] of Object.entries(loaders)) {
    try {
      clients.push(await load());
    } catch (error) {
      absent.push(missing(name, error));
    }
  }
  return { clients, missing: absent };
}

function missing(library: string, error: unknown): MissingClient {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    library,
    reason: reason.split("\n")[0] ?? "",
    advice: "run `npm ci` and `npm run build` in the folder node",
  };
}

function checkVersion({ version }: ClientChoice, { description }: Library): void {
  if (version !== null && version !== description.version) {
    throw new Unsupported(
      `this environment has ${description.library} ${description.version}, not ${version}: ` +
        `run the trial in the environment ${description.library}-${version}, which \`make setup\` makes`,
    );
  }
}

function checkOptions({ options }: ClientChoice, { description }: Library): void {
  for (const [name, value] of Object.entries(options)) {
    const values = description.options[name];
    if (values === undefined) {
      const known = Object.keys(description.options).join(", ");
      throw new InvalidInput(`trial.client.options.${name} is unknown; known are ${known}`);
    }
    if (!values.includes(value)) {
      const allowed = values.map((allowedValue) => JSON.stringify(allowedValue)).join(", ");
      throw new InvalidInput(`trial.client.options.${name} must be one of ${allowed}, not ${JSON.stringify(value)}`);
    }
  }
}
