# Homebrew cask. Version, hash and address are filled in with each release. Not tried yet.
cask "steward" do
  arch arm: "arm64", intel: "x86_64"

  version "0.1.0"
  sha256 :no_check

  url "https://example.org/steward/v#{version}/Steward-#{version}-macos-#{arch}.dmg"
  name "Steward"
  desc "Private desktop assistant that asks before anything changes"
  homepage "https://example.org/steward"

  depends_on macos: ">= :ventura"

  app "Steward.app"
  binary "#{appdir}/Steward.app/Contents/MacOS/steward"

  # Hooks in the settings of coding agents and the start with the session name a program that is then gone.
  uninstall quit:         "app.steward.desktop",
            early_script: {
              executable:   "#{appdir}/Steward.app/Contents/MacOS/steward",
              args:         ["purge", "--yes", "--keep-data"],
              must_succeed: false,
            }

  zap trash: [
    "~/Library/Application Support/steward",
    "~/Library/Caches/steward",
    "~/Library/LaunchAgents/app.steward.desktop.plist",
    "~/Library/Logs/steward",
  ]
end
