# The README's commands are `make demo`, `make test` and `make studio`. All targets install what they need, build, and go.
BUILD   ?= build
JOBS    ?= $(shell nproc)
PACKAGES = g++ cmake ninja-build libtbb-dev libtomlplusplus-dev libcli11-dev libfmt-dev nlohmann-json3-dev libpng-dev zlib1g-dev \
           libopenvdb-dev libboost-dev libboost-iostreams-dev libblosc-dev libnanovdb-dev libassimp-dev libfreetype-dev libmuparser-dev \
           libpugixml-dev libopenexr-dev libembree-dev libxxhash-dev libgtest-dev libopenvdb-tools fonts-dejavu-core ffmpeg python3
FUZZ_PACKAGES = clang libclang-rt-14-dev
LINT_PACKAGES = clang-format clang-tidy
FIGURE_PACKAGES = python3-matplotlib python3-numpy python3-pil
BENCH_PACKAGES = libbenchmark-dev python3-matplotlib
PHYSICS_PACKAGES = python3-matplotlib python3-numpy python3-pil
# python3-paraview has VTK for Python, and python3-vtk9 conflicts with it. Packages of Node from elsewhere contain npm and conflict with Debian's.
NODE_PACKAGES = $(shell command -v npm >/dev/null || echo nodejs npm)
INTEROP_PACKAGES = blender python3-openvdb paraview python3-paraview xvfb xauth $(NODE_PACKAGES)
# The Python that has the package's matplotlib, whatever else is first in the path.
PYTHON   = /usr/bin/python3
DEMO     = out/snowball_drop

FUZZ_SECONDS ?= 60
TIDY_SECONDS ?= 40

.PHONY: help packages configure build demo studio test lint fuzz golden soak bench cuda-test cuda-bench physics figures gallery interop browser browser-day browser-program sanitize clean

help:
	@echo "make demo      build firn, simulate a snowball, make pictures and a film"
	@echo "make test      build firn and run its tests"
	@echo "make studio    build the page of firn studio and open it: see and shape snow live, in a browser"
	@echo "make lint      look at the code and the documents without building: format, layers, headers, names, keys, flags"
	@echo "make build     leaves the program at $(BUILD)/firn"
	@echo "make fuzz      random scenes, meshes, frames and messages for the readers, FUZZ_SECONDS=$(FUZZ_SECONDS) of each"
	@echo "make soak      the long tests: convergence tables, large runs, fuzzing, the energy of 201 random scenes, 300 that anything may happen to, 1,000 damaged files"
	@echo "make golden    renew the hashes of tests/golden for this processor, and say what changed"
	@echo "make bench     measure: writes benchmarks/results/<cpu-model>.csv and .png; BENCH_FLAGS=--quick only sees that it runs"
	@echo "make cuda-test, make cuda-bench  on a machine with a GPU: the CUDA backend against the reference, and how fast it is"
	@echo "make physics   measure what the physics does: tables in benchmarks/results/physics, figures in docs/images; PHYSICS_FLAGS=--quick"
	@echo "make figures   the figures of docs/theory.md and of preview --show, from the program's own numbers, in docs/images"
	@echo "make gallery   run the gallery, its strips and films, and docs/gallery.md; VARIANT=small|medium|paper, SCENES=\"castle wedge\""
	@echo "make interop   Blender, ParaView, VTK and three.js open a run: do they see what firn wrote?"
	@echo "make browser   the tests of firn studio in a real browser: what is seen, what the server then knows; PICTURES=docs/images keeps pictures"
	@echo "make browser-day  a day of clicking in firn studio, in minutes: does the program or the page hold more and more?"
	@echo "make sanitize  unit tests under AddressSanitizer and UndefinedBehaviorSanitizer"

# Installs only what is missing; says the exact line when it may not.
packages:
	@missing=""; for p in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q "install ok installed" || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  line="apt-get update && apt-get install -y --no-install-recommends$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then echo "installing:$$missing"; \
	    export DEBIAN_FRONTEND=noninteractive; apt-get update -q && apt-get install -y -q --no-install-recommends $$missing; \
	  else echo "firn needs packages and root to install them. Run this, then make again:"; echo "  sudo sh -c '$$line'"; exit 1; fi; fi

# A build folder of the demo alone gets the other variants of the solver here, and what GPUs need.
VARIANTS = ON
CUDA    ?= AUTO
configure: packages
	@cmake -S . -B $(BUILD) -G Ninja -DFIRN_ALL_VARIANTS=$(VARIANTS) -DFIRN_CUDA=$(CUDA) --log-level=NOTICE

build: configure
	cmake --build $(BUILD) -j $(JOBS) --target firn

# Compiles no more of the solver than it runs, unless the rest is there.
demo: VARIANTS = $(shell grep -qs FIRN_ALL_VARIANTS:BOOL=ON $(BUILD)/CMakeCache.txt && echo ON || echo OFF)
demo: CUDA = $(if $(filter OFF,$(VARIANTS)),OFF,AUTO)
demo: build
	$(BUILD)/firn run snowball_drop --variant demo -o $(DEMO) --overwrite
	$(BUILD)/firn preview $(DEMO)
	@echo "frames:   $(DEMO)/frame_*.ply and $(DEMO)/final.ply"
	@echo "pictures: $(DEMO)/preview/frame_*.png"
	@echo "film:     $(DEMO)/preview/preview.mp4"
	@test $(VARIANTS) = ON || echo "\`make build\` adds what the demo did not need: 2D, double precision, quadratic kernels and GPUs"

# The page is built first: it becomes part of the program.
studio: PACKAGES += $(NODE_PACKAGES)
studio: packages
	npm ci --prefix studio --no-audit --no-fund --loglevel=error
	npm run build --prefix studio --silent
	cmake -S . -B $(BUILD) -G Ninja --log-level=NOTICE
	cmake --build $(BUILD) -j $(JOBS) --target firn
	$(BUILD)/firn studio

test: configure
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --no-tests=error -LE soak

# clang-tidy looks at what changed since origin/main, or since the last commit, with the commands of the build folder.
lint: PACKAGES += $(LINT_PACKAGES)
lint: configure
	$(PYTHON) tests/lint/run.py --build $(BUILD) --tidy-seconds $(TIDY_SECONDS)

# Inputs that reach new code are kept in the build folder and start the next session.
fuzz: PACKAGES += $(FUZZ_PACKAGES)
fuzz: configure
	cmake --build $(BUILD) -j $(JOBS) --target fuzzers
	for reader in scene mesh frame protocol; do found=$(BUILD)/fuzz/found/$$reader; mkdir -p $$found; \
	  $(BUILD)/fuzz/tests/fuzz/fuzz_$$reader -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$(BUILD)/fuzz/ -print_final_stats=1 \
	    $$found tests/fuzz/corpus/$$reader tests/fuzz/regressions/$$reader || exit 1; done

# The hashes of other processors stay.
golden: configure
	cmake --build $(BUILD) -j $(JOBS) --target test_golden
	rm -f $(BUILD)/golden.csv
	FIRN_GOLDEN_TO=$(BUILD)/golden.csv $(BUILD)/tests/test_golden --gtest_brief=1
	p=$$(head -1 $(BUILD)/golden.csv | cut -d, -f1); { grep -v "^$$p," tests/golden/hashes.csv 2>/dev/null; cat $(BUILD)/golden.csv; } > $(BUILD)/golden.new
	sort $(BUILD)/golden.new > tests/golden/hashes.csv

soak: PACKAGES += $(FUZZ_PACKAGES)
soak: configure
	cmake --build $(BUILD) -j $(JOBS) --target all fuzzers
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -L soak -V

# Its packages as well, in the same go.
bench: PACKAGES += $(BENCH_PACKAGES)
bench: packages
	cmake -S . -B $(BUILD) -G Ninja -DFIRN_BENCHMARKS=ON
	cmake --build $(BUILD) -j $(JOBS) --target firn textbook kernels
	cmake -S . -B $(BUILD)-avx2 -G Ninja -DFIRN_ISA=avx2 -DFIRN_ALL_VARIANTS=OFF -DFIRN_TESTS=OFF
	cmake --build $(BUILD)-avx2 -j $(JOBS) --target firn
	$(PYTHON) benchmarks/run.py --build $(BUILD) --avx2-build $(BUILD)-avx2 $(BENCH_FLAGS)

# Both want a GPU; CUDA itself is not among Debian's packages. Nothing is compared where sums by atomics have other last bits in every run.
cuda-test: configure
	cmake --build $(BUILD) -j $(JOBS) --target firn test_backends
	FIRN_TEST_BACKEND=cuda $(BUILD)/tests/test_backends --gtest_brief=1

cuda-bench: build
	$(PYTHON) benchmarks/cuda.py --firn $(BUILD)/firn

# The figures of docs/physics.md; PHYSICS_FLAGS also takes names of sections.
physics: PACKAGES += $(PHYSICS_PACKAGES)
physics: build
	$(PYTHON) benchmarks/physics/run.py --build $(BUILD) $(PHYSICS_FLAGS)

# Goes on where it was interrupted: runs stay in the build folder.
VARIANT ?= medium
gallery: PACKAGES += $(PHYSICS_PACKAGES)
gallery: build
	$(PYTHON) gallery/run.py --build $(BUILD) --variant $(VARIANT) $(SCENES)

# The figures of docs/theory.md, and of `firn preview --show` in docs/scenes.md.
figures: PACKAGES += $(FIGURE_PACKAGES)
figures: configure
	cmake --build $(BUILD) -j $(JOBS) --target firn theory_tables
	$(PYTHON) docs/figures/draw.py --build $(BUILD)

interop: PACKAGES += $(INTEROP_PACKAGES)
interop: build
	npm ci --prefix tests/interop --no-audit --no-fund --loglevel=error
	$(PYTHON) tests/interop/run.py --firn $(BUILD)/firn --folder $(BUILD)/interop

# The page, its own tests, then the program and its page in Debian's chromium.
browser browser-day: PACKAGES += $(NODE_PACKAGES) chromium
browser: browser-program
	npm test --prefix studio --silent
	node tests/browser/run.mjs --firn $(BUILD)/firn $(if $(PICTURES),--pictures $(PICTURES))

# What somebody does in a day, in minutes: memory must not grow.
browser-day: browser-program
	FIRN=$(abspath $(BUILD)/firn) node tests/browser/day.mjs

browser-program: packages
	npm ci --prefix studio --no-audit --no-fund --loglevel=error
	npm run build --prefix studio --silent
	npm ci --prefix tests/browser --no-audit --no-fund --loglevel=error
	cmake -S . -B $(BUILD) -G Ninja --log-level=NOTICE
	cmake --build $(BUILD) -j $(JOBS) --target firn

sanitize: packages
	cmake -S . -B $(BUILD)-sanitize -G Ninja -DFIRN_SANITIZE=ON -DFIRN_ALL_VARIANTS=OFF
	cmake --build $(BUILD)-sanitize -j $(JOBS)
	ctest --test-dir $(BUILD)-sanitize -j $(JOBS) --output-on-failure --no-tests=error -L 'core|math|materials|collide|geometry|particles|grid|solver|scene|io|render'

clean:
	rm -rf $(BUILD) $(BUILD)-avx2 $(BUILD)-sanitize
