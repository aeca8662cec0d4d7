# Nix's recipe of batfill: `nix build ./cmake/nix`. docs/install.md says what of it was tried.
{
  description = "Backfilling schedulers for Batsim, and an embedded simulator";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.05";

  outputs = { self, nixpkgs }:
    let
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};

      # Puts the pages of `batfill report` together.
      d3Library = pkgs.fetchurl {
        url = "https://unpkg.com/d3@5.16.0/dist/d3.min.js";
        hash = "sha256-Xb6SSzhH3wEPC4Vy3W70Lqh9Y3Du/3KxPqI2JHQSpTw=";
      };
      d3License = pkgs.fetchurl {
        url = "https://unpkg.com/d3@5.16.0/LICENSE";
        hash = "sha256-ejyw5QVYdOZ9uaotX+Jt4jIE+plP+60ZiQH/6cgSpxc=";
      };

      libcsv = pkgs.stdenv.mkDerivation {
        pname = "libcsv";
        version = "3.0.3-2021-08-20";
        src = pkgs.fetchFromGitHub {
          owner = "rgamble";
          repo = "libcsv";
          rev = "b1d5212831842ee5869d99bc208a21837e4037d5";
          hash = "sha256-4n3vqqo1U+5sjGdZYNtwDKPnvCgKLu7bgBT9fIFP0Vo=";
        };
        meta.license = pkgs.lib.licenses.lgpl21Plus;
      };

      batfill = pkgs.stdenv.mkDerivation {
        pname = "batfill";
        version = "0.3.0";
        # The clone that this file lies in, as git has it.
        src = ../..;
        nativeBuildInputs = with pkgs; [ cmake ninja pkg-config help2man ];
        buildInputs = with pkgs; [
          boost cppzmq eigen howard-hinnant-date libcsv libsodium pugixml rapidjson spdlog yaml-cpp zeromq zlib
        ];
        # Man pages are made by a script, of what the program says when it is built.
        postPatch = "patchShebangs cmake/make-man-pages";
        # The program's own library is found from where it lies, those of others where they are.
        cmakeFlags = [
          "-DBATFILL_TESTS=OFF"
          "-DCMAKE_SKIP_BUILD_RPATH=OFF"
          "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON"
          "-DD3_LIBRARY=${d3Library}"
          "-DD3_LICENSE=${d3License}"
        ];
        meta = {
          description = "Backfilling schedulers for Batsim, and an embedded simulator";
          license = pkgs.lib.licenses.asl20;
          mainProgram = "batfill";
          platforms = [ system ];
        };
      };
    in
    {
      packages.${system} = {
        default = batfill;
        inherit batfill libcsv;
      };
    };
}
