// Baton's plugin for OpenCode. managed-by: baton
//
// It runs `baton hook opencode` for each event, with JSON on stdin and an answer or nothing on stdout. A program that
// is missing, slow or broken stops no tool, unless this was installed with --strict.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const STRICT = __STRICT__
const WAKES = __WAKES__
const SLASH_COMMANDS = __SLASH_COMMANDS__
const LIMIT_MS = 10000
const WRITING_TOOLS = ["write", "edit", "apply_patch", "bash"]

const start = (options) => spawn(COMMAND[0], [...COMMAND.slice(1), ...options], { stdio: ["pipe", "pipe", "ignore"] })

// The answer of one run; `limit` is none for a run that waits to be woken.
const answer = (child, input, limit) =>
  new Promise((resolve, reject) => {
    let text = ""
    const timer = limit && setTimeout(() => (child.kill("SIGKILL"), reject(new Error("no answer in time"))), limit)
    child.on("error", (error) => (clearTimeout(timer), reject(error)))
    child.stdout.on("data", (piece) => (text += piece))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(text.trim() ? JSON.parse(text) : {})
      } catch {
        reject(new Error("the answer is no JSON"))
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
  })

export const Baton = async ({ client, directory }) => {
  const parents = new Map()
  const greeted = new Set()
  const listeners = new Map()
  const remarks = new Map()

  const input = (event, session, more = {}) => ({
    hook_event_name: event,
    session_id: session,
    ...(parents.get(session) ? { parent_session_id: parents.get(session) } : {}),
    cwd: directory,
    ...more,
  })
  const ask = (event, session, more) => answer(start([]), input(event, session, more), LIMIT_MS)
  const askQuietly = (event, session, more) => ask(event, session, more).catch(() => ({}))

  const wake = async (session, said) => {
    if (said.wake)
      await client.session.promptAsync({ path: { id: session }, body: { parts: [{ type: "text", text: said.wake }] } })
  }
  const stopListening = (session) => {
    const child = listeners.get(session)
    listeners.delete(session)
    if (child) child.kill("SIGTERM")
  }
  const listen = async (session) => {
    stopListening(session)
    const child = start(["--park"])
    listeners.set(session, child)
    const said = await answer(child, input("Stop", session)).catch(() => ({}))
    if (listeners.get(session) !== child) return
    listeners.delete(session)
    await wake(session, said)
  }
  const end = async (session) => {
    stopListening(session)
    if (greeted.delete(session)) await askQuietly("SessionEnd", session)
  }
  process.on("exit", () => listeners.forEach((child) => child.kill("SIGTERM")))

  return {
    config: async (config) => {
      try {
        config.command = { ...SLASH_COMMANDS, ...config.command }
      } catch {}
    },
    "chat.message": async (call, output) => {
      try {
        const session = call.sessionID
        stopListening(session)
        const said = []
        if (!greeted.has(session)) {
          greeted.add(session)
          said.push(await askQuietly("SessionStart", session))
        }
        said.push(await askQuietly("UserPromptSubmit", session))
        for (const { context } of said) {
          if (!context) continue
          const id = "prt_" + Date.now().toString(16) + Math.random().toString(16).slice(2)
          output.parts.push({
            id, sessionID: session, messageID: output.message.id, type: "text", text: context, synthetic: true,
          })
        }
      } catch {}
    },
    "tool.execute.before": async (call, output) => {
      let said = {}
      try {
        said = await ask("PreToolUse", call.sessionID, {
          tool_name: call.tool, tool_input: output.args, call_id: call.callID,
        })
        if (said.tool_input) Object.assign(output.args, said.tool_input)
        if (said.context) remarks.set(call.callID, said.context)
      } catch (error) {
        if (STRICT && WRITING_TOOLS.includes(call.tool))
          throw new Error(
            `Baton cannot be reached: ${error.message}; reinstall it with \`baton install opencode__OPTIONS__\` or remove it with \`baton uninstall opencode\``,
          )
      }
      if (said.decision === "deny") throw new Error(said.reason)
    },
    "tool.execute.after": async (call, output) => {
      // A remark about a tool call reaches the model with its result.
      if (remarks.has(call.callID)) output.output = `${output.output}\n${remarks.get(call.callID)}`
      remarks.delete(call.callID)
      if (call.tool === "bash")
        await askQuietly("PostToolUse", call.sessionID, {
          tool_name: call.tool, tool_input: call.args, call_id: call.callID,
        })
    },
    "shell.env": async (call, output) => {
      if (call.sessionID) output.env.BATON_SESSION = call.sessionID
    },
    "experimental.session.compacting": async (call, output) => {
      const { context } = await askQuietly("PreCompact", call.sessionID)
      if (context) output.context.push(context)
    },
    event: async ({ event }) => {
      try {
        const session = event.properties?.sessionID ?? event.properties?.info?.id
        if (event.type === "session.created" && event.properties.info?.parentID)
          parents.set(event.properties.info.id, event.properties.info.parentID)
        if (event.type === "session.idle" && greeted.has(session)) {
          const said = await askQuietly("Stop", session)
          if (said.wake) await wake(session, said)
          // The session may have ended while the hook ran.
          else if (WAKES && greeted.has(session)) listen(session).catch(() => {})
        }
        if (event.type === "session.deleted") await end(session)
      } catch {}
    },
    dispose: async () => {
      for (const session of [...greeted]) await end(session)
    },
  }
}
