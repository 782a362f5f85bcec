// Steward's gate for OpenCode. Written by `steward agents install opencode`, removed by uninstall.
//
// Every tool call is shown to Steward on this computer before it runs, and stopped here by an error where
// Steward denies it or does not answer. What OpenCode itself would ask is answered by Steward's window.
// Steward's hook client does the talking: it proves who it is, has the other side do so, and knows no proxy.

import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const STEWARD = __STEWARD__

// The longest that a call is held while somebody decides, and what a message may take that nobody waits for.
const HOLDS_MS = STEWARD.holds_s * 1000
const TELLS_MS = 5000

// Of a program that was removed, this file is all that is left.
const LEFT_BEHIND = `${STEWARD.left_behind} opencode. To work without it, delete ${fileURLToPath(import.meta.url)}`

const post = (body, limitMs) =>
  new Promise((resolve, reject) => {
    const [program, ...words] = STEWARD.client
    const client = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true })
    const told = { out: "", err: "" }
    const timer = setTimeout(() => client.kill("SIGKILL"), limitMs)
    client.stdout.setEncoding("utf8").on("data", (part) => (told.out += part))
    client.stderr.setEncoding("utf8").on("data", (part) => (told.err += part))
    client.stdin.on("error", () => undefined) // it ended before it had read all: its exit code tells
    client.on("error", (error) => reject(error.code === "ENOENT" ? new Error(LEFT_BEHIND) : error))
    client.on("close", (code) => {
      clearTimeout(timer)
      if (code !== 0) return reject(new Error(told.err.trim() || `its client ended with ${code}`))
      try {
        resolve(told.out === "" ? { action: "none" } : JSON.parse(told.out))
      } catch (error) {
        reject(error)
      }
    })
    client.stdin.end(JSON.stringify(body))
  })

const tell = (body) => post(body, TELLS_MS).catch(() => undefined)

export const Steward = async ({ client, directory }) => {
  // Calls that were let through, so that a later permission can be shown with all that it is for.
  const calls = new Map()

  const before = async ({ tool, sessionID, callID }, { args }) => {
    calls.set(callID, { tool, args })
    const body = { event: "tool.execute.before", tool, sessionID, callID, args, directory }
    const reply = await post(body, HOLDS_MS).catch((error) => {
      calls.delete(callID)
      throw new Error(`Steward did not answer, so this was not run: ${error.message}`)
    })
    if (reply.action === "allow" && reply.args !== undefined) Object.assign(args, reply.args) // in OpenCode's own object
    if (reply.action === "allow" || reply.action === "none") return
    calls.delete(callID)
    throw new Error(reply.action === "deny" ? String(reply.message) : "Steward's answer was not understood.")
  }

  const after = async ({ tool, sessionID, callID, args }) => {
    calls.delete(callID)
    await tell({ event: "tool.execute.after", tool, sessionID, callID, args: args ?? {}, directory })
  }

  const permission = async (asked) => {
    const call = calls.get(asked.tool?.callID)
    if (call === undefined) return
    const body = { event: "permission.asked", permission: asked, ...call, directory }
    const reply = await post(body, HOLDS_MS).catch(() => ({ action: "none" }))
    const response = { allow: "once", deny: "reject" }[reply.action]
    if (response === undefined) return
    await client.postSessionIdPermissionsPermissionId({
      path: { id: asked.sessionID, permissionID: asked.id },
      body: { response },
    })
  }

  const event = async ({ event: happened }) => {
    if (happened.type === "permission.asked") {
      permission(happened.properties).catch(() => undefined) // OpenCode's own prompt stays
    } else if (happened.type === "session.created" || happened.type === "session.deleted") {
      await tell({ event: happened.type, sessionID: happened.properties.info?.id ?? "", directory })
    }
  }

  return { event, "tool.execute.before": before, "tool.execute.after": after }
}
